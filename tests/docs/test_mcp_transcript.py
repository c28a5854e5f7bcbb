"""The transcript is what a client would hear now."""

import pytest

from tests.docs.mcp_transcript import TARGET, render


@pytest.mark.slow
def test_the_transcript_is_what_a_client_hears_now():
    assert TARGET.read_text(encoding="utf-8") == render()
