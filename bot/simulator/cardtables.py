"""The vocabulary of card JSON 2.0: which tags there are and which properties each may have.

In 2.0 the platform refuses what it does not know, so these tables are what keeps a card honest. They follow the
component pages of the official documentation. Where the pages call a property historic but still show it (`value`,
`action_type`), it is accepted.
"""

from typing import Final


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


LANGUAGES: Final = _set(
    "zh_cn en_us zh_hk zh_tw ja_jp id_id vi_vn th_th pt_br es_es ko_kr de_de fr_fr it_it ru_ru ms_my"
)
TEMPLATES: Final = _set("blue wathet turquoise green yellow orange red carmine violet purple indigo grey default")
TAG_COLOURS: Final = _set("neutral blue turquoise lime orange violet indigo wathet green yellow red purple carmine")
BUTTON_TYPES: Final = _set("default primary danger text primary_text danger_text primary_filled danger_filled laser")
REMOVED_TAGS: Final = frozenset(("action", "note"))

ROOT: Final = _set("schema config card_link header body")
CONFIG: Final = _set(
    "streaming_mode streaming_config summary locales enable_forward update_multi width_mode"
    " use_custom_translation enable_forward_interaction style"
)
HEADER: Final = _set("title subtitle text_tag_list i18n_text_tag_list template icon padding")
TEXT: Final = _set("tag content i18n_content text_size text_color text_align lines element_id")
TEXT_TAG: Final = _set("tag element_id text color")
ICON: Final = _set("tag token color img_key size")
CONFIRM: Final = _set("title text")
OPEN_URL: Final = _set("type default_url pc_url ios_url android_url")
CALLBACK: Final = _set("type value")
PANEL_HEADER: Final = _set(
    "title background_color width vertical_align padding position icon icon_position icon_expanded_angle"
)

_COMMON = "tag element_id margin"
_LAYOUT = "direction padding horizontal_spacing horizontal_align vertical_spacing vertical_align elements"
_INTERACTIVE = "name behaviors value confirm disabled disabled_tips width"

BODY: Final = _set(_LAYOUT)


def _properties(*names: str) -> frozenset[str]:
    return _set(" ".join((_COMMON, *names)))


ELEMENTS: Final[dict[str, frozenset[str]]] = {
    "markdown": _properties("content i18n_content text_size text_align text_color icon"),
    "div": _properties("width text icon"),
    "hr": _properties(),
    "img": _properties(
        "img_key alt title corner_radius scale_type size transparent preview mode custom_width compact_width"
    ),
    "img_combination": _properties("img_list combination_mode combination_transparent corner_radius"),
    "person": _properties("user_id size show_avatar show_name style"),
    "person_list": _properties("persons lines show_avatar show_name size drop_invalid_user_id icon ud_icon"),
    "chart": _properties("chart_spec aspect_ratio color_theme preview height"),
    "table": _properties("page_size row_height row_max_height freeze_first_column header_style columns rows"),
    "audio": _properties("file_key audio_id fail_tips style show_time"),
    "column_set": _properties(
        "horizontal_spacing horizontal_align vertical_spacing flex_mode background_style action columns"
    ),
    "column": _properties(_LAYOUT, "background_style width weight action"),
    "form": _properties(_LAYOUT, "name"),
    "interactive_container": _properties(
        _LAYOUT,
        "width height background_style has_border border_color corner_radius behaviors disabled disabled_tips"
        " confirm hover_tips name",
    ),
    "collapsible_panel": _properties(_LAYOUT, "expanded background_color header border"),
    "button": _properties(_INTERACTIVE, "type size text icon hover_tips form_action_type action_type"),
    "input": _properties(
        _INTERACTIVE,
        "required placeholder default_value max_length input_type rows auto_resize max_rows show_icon label"
        " label_position fallback",
    ),
    "select_static": _properties(
        _INTERACTIVE, "type required options initial_option initial_index placeholder fallback"
    ),
    "multi_select_static": _properties(
        _INTERACTIVE, "type required options selected_values placeholder fallback"
    ),
    "select_person": _properties(_INTERACTIVE, "type required options initial_option placeholder"),
    "multi_select_person": _properties(_INTERACTIVE, "type required options selected_values placeholder"),
    "select_img": _properties(
        _INTERACTIVE, "style multi_select layout required can_preview aspect_ratio options"
    ),
    "overflow": _properties("name width options behaviors value confirm"),
    "date_picker": _properties(_INTERACTIVE, "required initial_date placeholder"),
    "picker_time": _properties(_INTERACTIVE, "required initial_time placeholder"),
    "picker_datetime": _properties(_INTERACTIVE, "required initial_datetime placeholder"),
    "checker": _properties(
        _INTERACTIVE, "checked text overall_checkable button_area checked_style hover_tips pc_display_rule"
    ),
}  # fmt: skip

CONTAINERS: Final = _set("column_set form interactive_container collapsible_panel")
FORM_FIELDS: Final = _set(
    "input select_static multi_select_static select_person multi_select_person select_img date_picker"
    " picker_time picker_datetime checker"
)
NAMED_IN_FORM: Final = FORM_FIELDS | {"button"}
