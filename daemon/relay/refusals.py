"""Refusals of a relayed press or message, in order of precedence."""

from enum import StrEnum


class RelayRefusal(StrEnum):
    """Why what a person pressed or wrote was not even decided."""

    RELAY_ONLY = "relay_only"
    TENANT_FOREIGN = "tenant_foreign"
    BUTTON_FORGED = "button_forged"
    BUTTON_ELSEWHERE = "button_elsewhere"
    IDENTITY_UNPAIRED = "identity_unpaired"
    BUTTON_EXPIRED = "button_expired"
    CHANNEL_LET_GO = "channel_let_go"
    FORM_SUBMITTED = "form_submitted"
    PERSON_UNPAIRED = "person_unpaired"
    FORM_MATERIAL_LOST = "form_material_lost"
    FORM_FIELD_EMPTIED = "form_field_emptied"
    FORM_FIELD_MISSING = "form_field_missing"
