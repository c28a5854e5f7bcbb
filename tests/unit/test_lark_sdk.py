"""A canary: the SDK is the exact version, and has the private names, that the adapter was written against."""

import asyncio
import importlib.metadata
import inspect
import subprocess
import sys

import pytest
from lark_oapi.core.const import VERSION
from lark_oapi.ws import client as sdk_ws

from bot.lark_api import PRIVATE_NAMES, SDK_VERSION

pytestmark = pytest.mark.slow


def test_the_exact_version_is_installed():
    assert importlib.metadata.version("lark-oapi") == VERSION == SDK_VERSION


@pytest.mark.parametrize("name", PRIVATE_NAMES["methods"])
def test_each_private_method_is_there(name):
    assert callable(getattr(sdk_ws.Client, name))
    wanted = name not in ("_configure", "_get_conn_url")
    assert inspect.iscoroutinefunction(getattr(sdk_ws.Client, name)) is wanted


async def test_each_private_attribute_is_there():
    client = sdk_ws.Client("cli_a", "secret", auto_reconnect=False)
    for name in PRIVATE_NAMES["attributes"]:
        assert hasattr(client, name), name
    client._cache._cron.cancel()


@pytest.mark.parametrize("method", ["_connect", "_receive_message_loop"])
def test_the_sdk_makes_its_tasks_on_the_loop_that_is_replaced(method):
    assert "loop.create_task(" in inspect.getsource(getattr(sdk_ws.Client, method))


async def test_its_tasks_run_where_they_are_made():
    async def where():
        return asyncio.get_running_loop()

    assert await sdk_ws.loop.create_task(where()) is asyncio.get_running_loop()


def test_nothing_but_the_adapter_brings_the_sdk_in():
    modules = "lark lark_connection lark_courier lark_endpoint lark_events lark_faults lark_frames lark_log lark_needs lark_pulse lark_seal lark_settings lark_text lark_tokens lark_webhook watchdog"  # noqa: E501
    code = "".join(f"import bot.{name}\n" for name in modules.split())
    code += "import sys; sys.exit('lark_oapi' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_the_adapter_can_be_imported_inside_a_running_loop():
    code = "import asyncio\nasync def main():\n    import bot.lark_api\nasyncio.run(main())\n"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
