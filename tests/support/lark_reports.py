"""What people who run such bots have reported, and the tests by which it cannot happen here.

One row for each kind of fault, said as whoever met it would; the tests are named by file and function, and
`tests/tidy/test_lark_reports.py` looks for each of them.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Report:
    """A fault that was met somewhere, and what keeps it away."""

    fault: str
    tests: tuple[str, ...]


def _report(fault, *tests):
    return Report(fault, tests)


_PORT, _LINK, _ADAPTER = "contract/test_lark_port.py", "contract/test_lark_link.py", "contract/test_lark_adapter.py"
_HTTP, _WEBHOOK = "contract/test_lark_http.py", "contract/test_lark_webhook.py"
_FAULTS, _INBOUND, _COURIER = "unit/test_bot_faults.py", "unit/test_bot_inbound.py", "unit/test_lark_courier.py"
_HERE, _AWAY = "faults/test_lark_reports.py", "unit/test_bot_taken_away.py"
_PRESSES, _GATES = "unit/test_relay_presses.py", "unit/test_relay_gates.py"
_RULES, _SAID = "unit/test_rules_gates.py", "unit/test_relay_messages.py"

PLATFORM = (
    _report(
        "a message that comes twice at once is answered twice, as it was noted only when it was done",
        f"{_WEBHOOK}::test_two_copies_at_once_are_one_effect_and_one_answer",
        f"{_PRESSES}::test_two_copies_of_one_press_that_arrive_together_get_the_same_answer",
        f"{_HERE}::test_a_message_that_comes_five_times_in_six_hours_is_one_effect_and_one_answer",
    ),
    _report(
        "the same message under another event id is another message",
        f"{_SAID}::test_a_redelivered_message_has_its_first_answer_again_under_whatever_event_id",
    ),
    _report(
        "a slow answer has the platform push again, and the command runs again hours later",
        f"{_HERE}::test_a_message_that_comes_five_times_in_six_hours_is_one_effect_and_one_answer",
        f"{_WEBHOOK}::test_the_platforms_five_pushes_are_all_heard_until_one_is_taken",
        f"{_AWAY}::test_a_message_that_was_answered_has_no_answer_to_be_posted_an_hour_later",
    ),
    _report(
        "an endpoint that never answers leaves the bot deaf for days",
        f"{_LINK}::test_an_endpoint_that_hangs_is_given_up_and_asked_again",
    ),
    _report(
        "a peer that ignores the goodbye holds the bot for ever",
        f"{_LINK}::test_a_peer_that_ignores_the_goodbye_is_left_anyway",
    ),
    _report(
        "importing the SDK inside a running loop breaks it",
        "unit/test_lark_sdk.py::test_the_adapter_can_be_imported_inside_a_running_loop",
    ),
    _report("of two apps in one process one is silent", f"{_LINK}::test_two_apps_in_one_process_each_hear_their_own"),
    _report(
        "frames that are typed as cards are dropped", f"{_ADAPTER}::test_a_card_typed_frame_is_handled_and_answered"
    ),
    _report(
        "a connection that only looks alive delivers nothing",
        f"{_LINK}::test_the_watchdog_replaces_a_connection_that_only_looks_alive",
    ),
    _report(
        "one slow handler holds up pings and every other press",
        f"{_COURIER}::test_one_slow_press_delays_no_other",
        f"{_ADAPTER}::test_a_stuck_message_delays_no_press",
    ),
    _report(
        "work of more than three seconds shows an error",
        f"{_PORT}::test_a_hanging_press_is_told_to_wait_within_three_seconds_and_goes_on",
    ),
    _report(
        "a store that stalls is waited for before the press is answered",
        "e2e/test_bot_with_simulator.py::test_a_hanging_daemon_costs_a_toast_in_time_and_the_result_follows",
    ),
    _report(
        "a handler that returns nothing shows an error",
        f"{_PORT}::test_a_press_is_answered_with_an_object_in_every_case",
    ),
    _report(
        "a card in the answer to a press is refused by the client, or races with a patch",
        f"{_HERE}::test_a_press_is_answered_by_a_toast_and_nothing_else",
    ),
    _report(
        "an answer made of the SDK's own classes cannot be sent",
        f"{_HERE}::test_a_press_is_answered_by_a_toast_and_nothing_else",
        "unit/test_lark_frames.py::test_an_answer_travels_as_base64_and_an_empty_one_is_an_object",
    ),
    _report(
        "fields of a form are dropped",
        "e2e/test_presses.py::test_a_form_is_refused_comes_back_filled_and_is_then_the_goal_field_by_field",
        "unit/test_relay_forms.py::test_every_field_that_was_typed_is_in_the_ledger_as_it_was_typed",
    ),
    _report(
        "parts of the older card schema are refused or not shown",
        "unit/test_cards_anatomy.py::test_only_documented_parts_and_properties_are_sent",
    ),
    _report(
        "a card with too much in it is refused and the message is lost",
        f"{_FAULTS}::test_a_refused_card_is_replaced_by_one_text_and_returns_when_its_content_is_taken",
        "api/test_simulator_every_limit.py::test_the_limit_is_accepted_and_one_more_is_refused",
    ),
    _report(
        "a long ledger makes a card that is too long to be sent",
        "unit/test_cards_hostile.py::test_the_same_in_lists_of_dozens",
        "unit/test_cards_hostile.py::test_what_is_left_out_is_said_with_where_to_see_it",
    ),
    _report(
        "what a fault means is guessed from its text",
        "unit/test_lark_faults.py::test_the_code_decides_and_the_status_does_not",
    ),
    _report(
        "any member of the group can approve",
        f"{_GATES}::test_who_is_no_approver_is_refused_and_told",
        "e2e/test_presses.py::test_somebody_unknown_and_a_forwarded_copy_decide_nothing",
    ),
    _report(
        "a stale card, or a second click, decides again",
        f"{_GATES}::test_a_no_is_one_and_the_next_is_told_who_decided_and_when",
        f"{_GATES}::test_a_button_of_an_older_generation_decides_nothing",
        f"{_PRESSES}::test_a_button_pressed_twice_by_one_person_is_one_event",
    ),
    _report(
        "a card is changed by the call that is for texts",
        f"{_HERE}::test_a_card_is_changed_by_patch_and_by_nothing_else",
    ),
    _report(
        "a receiver of the wrong kind is tried again for ever",
        "api/test_simulator_messages.py::test_every_kind_of_receiver",
        f"{_FAULTS}::test_each_fault_has_one_consequence",
    ),
    _report(
        "the token of a callback is taken for a message, or is in the log",
        "unit/test_lark_events.py::test_the_callback_token_is_not_kept",
        f"{_PORT}::test_what_is_no_message_is_refused_before_it_is_sent",
    ),
    _report(
        "events that nobody acknowledges are noticed by nobody",
        f"{_WEBHOOK}::test_what_was_taken_is_not_owed_and_nothing_is_owed_for_ever",
    ),
    _report(
        "a challenge is echoed before its token is looked at",
        f"{_WEBHOOK}::test_a_challenge_with_another_token_is_refused_and_not_echoed",
    ),
    _report("only the challenge's token is looked at", f"{_WEBHOOK}::test_what_is_not_proven_has_no_effect"),
    _report(
        "callbacks of the older kind are accepted with a weaker proof",
        f"{_WEBHOOK}::test_the_old_card_callback_is_refused_in_both_its_shapes",
        "unit/test_lark_seal.py::test_the_old_callbacks_signature_proves_nothing",
    ),
    _report(
        "a mention in a text mentions nobody, or everybody",
        f"{_GATES}::test_the_waiting_are_mentioned_in_the_group_and_nowhere_else",
        "unit/test_cards_golden.py::test_the_simulated_platform_takes_the_card_and_finds_no_mention",
    ),
    _report(
        "an app on the other domain is asked for again and again",
        f"{_LINK}::test_a_fatal_refusal_is_told_in_words_and_not_repeated",
    ),
    _report(
        "a chat that the bot has left is written to again and again",
        f"{_FAULTS}::test_a_lost_chat_is_left_alone_until_it_is_heard_of",
    ),
    _report(
        "an answer with an unknown field is no answer",
        "unit/test_lark_faults.py::test_unknown_fields_are_tolerated_and_missing_ones_are_an_unknown_outcome",
    ),
    _report(
        "a card that was taken back breaks whoever changes it",
        f"{_FAULTS}::test_a_closed_card_that_is_taken_away_is_not_posted_anew",
        f"{_AWAY}::test_a_card_that_was_taken_away_is_posted_once_more_although_nothing_happened_in_the_ledger",
    ),
)
"""What the platform and its SDKs do to a bot."""

PRODUCTS = (
    _report(
        "all is green while no press arrives",
        "e2e/test_webhook.py::test_a_bot_whose_callbacks_are_all_dropped_is_unqualified_and_nothing_is_done",
        "unit/test_bot_parts.py::test_only_a_press_makes_it_qualified",
    ),
    _report(
        "a chat that is new since the start has cards whose buttons do nothing",
        f"{_HERE}::test_a_card_in_a_chat_that_is_new_can_be_pressed_at_once",
    ),
    _report(
        "two audiences press the opposite, and both win",
        "e2e/test_presses.py::test_confirm_and_decline_at_once_by_two_owners_is_one_decision_each_time",
        f"{_PRESSES}::test_of_two_owners_with_opposite_wishes_one_decides_and_the_other_is_told_who",
    ),
    _report(
        "an answer is lost because its format was refused, and its source was acknowledged",
        f"{_FAULTS}::test_a_refused_card_is_replaced_by_one_text_and_returns_when_its_content_is_taken",
        f"{_INBOUND}::test_a_form_that_could_not_be_posted_gives_its_message_back",
    ),
    _report(
        "a message is taken and nothing comes of it",
        f"{_INBOUND}::test_a_message_is_given_back_while_the_daemon_cannot_take_it",
    ),
    _report(
        "decisions never reach the group, as telling is off by default",
        f"{_GATES}::test_each_generation_is_a_message_of_its_own_in_the_goals_chats",
    ),
    _report("a platform that is down holds up the work", f"{_HERE}::test_a_platform_that_is_down_holds_up_no_commit"),
    _report(
        "some of several cards are sent, and the rest is forgotten",
        f"{_HERE}::test_of_several_cards_the_one_that_failed_is_sent_later_and_no_other_twice",
    ),
    _report(
        "the bot's name in prose is taken for a mention",
        "unit/test_lark_events.py::test_only_the_platforms_own_mention_speaks_to_the_bot",
        "unit/test_lark_events.py::test_only_a_mention_of_this_bot_counts",
    ),
    _report(
        "of several goals in one chat one is guessed",
        "e2e/test_conversation.py::test_which_goal_is_asked_and_its_card_comes_under_the_question",
    ),
    _report(
        "an approval frees nothing, or too much",
        f"{_RULES}::test_an_approval_consumes_exactly_the_scopes_it_covers",
        f"{_RULES}::test_an_approval_frees_the_named_work",
    ),
    _report("a no frees the work", f"{_RULES}::test_whatever_is_no_yes_keeps_the_work_blocked"),
    _report(
        "one agent's gate stalls another's work", f"{_RULES}::test_one_agents_gate_does_not_stall_another_agents_work"
    ),
    _report(
        "a burst of old commands runs as if it were new",
        f"{_SAID}::test_a_late_command_is_shown_and_not_run",
        "e2e/test_conversation.py::test_a_late_burst_is_one_card_and_each_is_run_by_a_press",
    ),
    _report(
        "messages of two people are taken for one",
        f"{_HERE}::test_two_people_who_write_at_once_are_each_answered_under_their_own_message",
    ),
    _report("who may chat may approve", f"{_RULES}::test_being_in_the_chat_authorises_nobody"),
    _report(
        "only the presser sees that it is decided",
        "e2e/test_gates.py::test_two_people_decide_a_gate_and_every_copy_is_told",
    ),
    _report(
        "time that runs out decides in silence",
        "unit/test_rules_gate_ends.py::test_a_gate_that_denies_at_its_end_is_no_silent_yes",
        f"{_GATES}::test_a_gate_whose_time_is_over_says_so",
    ),
    _report(
        "what was known is forgotten by a restart, and done twice",
        "schedules/test_scripts.py::test_a_form_that_was_taken_as_the_daemon_fell_is_one_goal_however_often_it_is_sent",
        "e2e/test_bot_with_simulator.py::test_kills_of_bot_and_daemon_cost_no_message_and_no_change",
    ),
    _report(
        "what was written while the bot was away is lost",
        "e2e/test_conversation.py::test_a_late_burst_is_one_card_and_each_is_run_by_a_press",
        "api/test_simulator_link.py::test_an_event_waits_for_a_bot_that_was_away",
    ),
    _report(
        "a token ends after hours, and the bot is silent until it is restarted",
        f"{_HTTP}::test_a_bot_that_runs_for_days_renews_its_token_before_it_ends",
        f"{_HTTP}::test_a_token_that_stays_refused_is_told_by_health_and_heals_by_itself",
    ),
    _report(
        "the documents list other permissions than the code needs",
        "unit/test_lark_needs.py::test_the_documents_list_exactly_what_the_code_needs",
    ),
    _report(
        "nobody knows who approved, or whether one was enough",
        f"{_GATES}::test_two_people_make_two_votes_and_each_is_told_how_many_there_are",
        f"{_RULES}::test_a_quorum_of_two_needs_two_people_and_a_repeated_vote_counts_once",
        "unit/test_relay_told.py::test_the_proposer_is_told_of_the_no_of_another_owner",
    ),
    _report(
        "nobody knows who resumed or paused",
        f"{_PRESSES}::test_a_stop_that_comes_after_a_pause_names_who_paused",
    ),
    _report(
        "an old card shows the state of before",
        "schedules/test_schedules.py::test_whatever_fails_each_press_and_message_counts_once_and_the_chat_says_what_the_ledger_says",
        "unit/test_bot_sync.py::test_an_older_version_never_follows_a_newer_one",
    ),
)
"""What products of this kind do to their users."""

REPORTS = PLATFORM + PRODUCTS
