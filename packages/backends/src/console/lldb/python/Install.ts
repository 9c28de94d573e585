/**
 * Python for LLDB: the tables of types, and the registration of summaries, children and commands.
 */

/** The source of the registration. It follows all others. */
export const install = String.raw`SUMMARIES = [
    ("vector|list|forward_list|deque|set|multiset|unordered_set|unordered_multiset|array|span|initializer_list|bitset", sequence_of),
    ("map|multimap|unordered_map|unordered_multimap", mapping_of),
    ("optional", optional_of),
    ("variant", variant_of),
    ("tuple", tuple_of),
    ("pair", pair_of),
    ("shared_ptr|unique_ptr|weak_ptr", smart_of),
    ("basic_string_view|string_view|wstring_view|u8string_view|u16string_view|u32string_view", view_of),
    ("function", function_of),
    ("queue|stack|priority_queue", adapted_of),
    ("atomic", atomic_of),
    ("valarray", valarray_of),
    ("reference_wrapper", reference_of),
    ("(_Rb_tree|_List|__detail::_Node)_(const_)?iterator", node_iterator_of),
    ("chrono::duration", duration_of),
    ("chrono::time_point", time_of),
]
NAMED = [
    ("any", any_of),
    ("complex<.*>", complex_of),
    ("filesystem::(__cxx11::)?path", path_of),
    ("(_V2::)?error_(code|condition)", error_of),
    ("chrono::year_month_day", date_of),
    ("chrono::(year|month|day|weekday)", day_of),
    ("_Bit_reference", bit_of),
    ("bitset<[0-9]+>::reference", bit_of),
    ("thread", thread_of),
    ("thread::id|__thread_id", thread_of),
]
CHILDREN = [
    ("unordered_(multi)?(map|set)", Hashed),
    ("tuple", Tupled),
    ("array", Arrayed),
    ("span|initializer_list", Spanned),
    ("valarray", Numbers),
    ("queue|stack|priority_queue", Adapted),
]
NUMBERS = "bool|char|(un)?signed char|(unsigned )?(short|int|long|long long)|float|double|long double|u?int(8|16|32|64)_t|(std::)?size_t"
SPACE = "^std::(__cxx11::|__1::|__debug::|__cxx1998::|__fs::)*"




def install(debugger):
    def run(line):
        debugger.HandleCommand(line)

    DEBUGGERS.append(debugger)
    compile_session_starts_once()
    open_session_files_once()
    correct_trees()
    globals()["string_of"] = guarded(string_of)
    for pattern, function in SUMMARIES:
        name = function.__name__
        globals()[name] = guarded(function)
        run('type summary add -w sigtrap -e -v -F sigtrap_values.%s -x "%s(%s)<.*>( ?&)?$"' % (name, SPACE, pattern))
    for pattern, function in NAMED:
        name = function.__name__ + "_guarded"
        globals()[name] = guarded(function)
        run('type summary add -w sigtrap -e -v -F sigtrap_values.%s -x "%s(%s)( ?&)?$"' % (name, SPACE, pattern))
    run('type synthetic add -w sigtrap -l sigtrap_values.Any -x "%sany( ?&)?$"' % SPACE)
    # libc++ has the space __1, and formatters in LLDB.
    strings = "^std::(__cxx11::)?basic_string<(char|wchar_t|char8_t|unsigned char|char16_t|char32_t)(,.*)?>( ?&)?$"
    run('type summary add -w sigtrap -e -v -F sigtrap_values.string_of -x "%s"' % strings)
    run('type summary add -w sigtrap -e -v -F sigtrap_values.member_pointer_of -x "::\\*( const| volatile)*(\\)\\(.*)?$"')
    run('type summary add -w sigtrap -e -v -F sigtrap_values.referred_of -x "^(const |volatile )*(%s) ?&&?$"' % NUMBERS)
    wide = "^(const )?(wchar_t|char8_t|char16_t|char32_t) ?\\[[0-9]+\\]$"
    run('type summary add -w sigtrap -e -v -F sigtrap_values.wide_of -x "%s"' % wide)
    run('type synthetic add -w sigtrap -l sigtrap_values.Pointers -x "\\*( ?const)? ?\\*( ?const)?( ?&)?$"')
    run('type synthetic add -w sigtrap -l sigtrap_values.Blocks -x "^std::__1::deque<.*>( ?&)?$"')
    run('type synthetic add -w sigtrap -l sigtrap_values.Nodes -x "^std::__1::list<.*>( ?&)?$"')
    for pattern, provider in CHILDREN:
        run('type synthetic add -w sigtrap -l sigtrap_values.%s -x "%s(%s)<.*>( ?&)?$"' % (provider.__name__, SPACE, pattern))
    # Older versions have no such option.
    for summary, recognizer in (
        ("object_of", "has_objects"),
        ("array_of", "is_shown_array"),
        ("incomplete_of", "is_incomplete"),
        ("function_pointer_of", "is_function_pointer"),
    ):
        command = "type summary add -w sigtrap -e -F sigtrap_values.%s --recognizer-function sigtrap_values.%s"
        debugger.GetCommandInterpreter().HandleCommand(command % (summary, recognizer), lldb.SBCommandReturnObject())
    # A pointer to a character has the summary of a string.
    command = "type summary add -w sigtrap -e -p -r -F sigtrap_values.byte_number --recognizer-function sigtrap_values.is_byte"
    debugger.GetCommandInterpreter().HandleCommand(command, lldb.SBCommandReturnObject())
    for provider, recognizer in (
        ("Members", "has_arrays"),
        ("VirtualBases", "has_virtual_bases"),
        ("Pointers", "is_far"),
        ("DeclaredStrings", "is_declared_list"),
    ):
        command = "type synthetic add -w sigtrap -l sigtrap_values.%s --recognizer-function sigtrap_values.%s"
        debugger.GetCommandInterpreter().HandleCommand(command % (provider, recognizer), lldb.SBCommandReturnObject())
    run("type category enable sigtrap")
    # It shows vectors, but also arrays of four numbers, as one text in parentheses whose elements cannot be opened.
    run("type category disable VectorTypes")
    # It has summaries for names of Objective-C and of Apple's libraries, which LLDB applies to any type of that name: an int named BOOL is YES or NO.
    if sys.platform != "darwin":
        run("type category disable -l objective-c")
    run("command script add -o -f sigtrap_values.trace_begin sigtrap-trace-begin")
    run("command script add -o -f sigtrap_values.trace_values sigtrap-trace-values")
    run("command script add -o -f sigtrap_values.trace_end sigtrap-trace-end")
    run("command script add -o -f sigtrap_values.run_batch sigtrap-batch")
    run("command script add -o -f sigtrap_values.read_page sigtrap-read-page")
    run("command script add -o -f sigtrap_values.child_names sigtrap-child-names")
    run("command script add -o -f sigtrap_values.show_values sigtrap-show")
    run("command script add -o -f sigtrap_values.path_files sigtrap-path-files")
    run("command script add -o -f sigtrap_values.path_begin sigtrap-path-begin")
    run("command script add -o -f sigtrap_values.path_lines sigtrap-path-lines")
    run("command script add -o -f sigtrap_values.path_end sigtrap-path-end")
    run("command script add -o -f sigtrap_values.trace_places sigtrap-trace-places")
    run("command script add -o -f sigtrap_values.log_begin sigtrap-log-begin")
    run("command script add -o -f sigtrap_values.log_values sigtrap-log-values")
    run("command script add -o -f sigtrap_values.log_take sigtrap-log-take")
    run("command script add -o -f sigtrap_values.log_end sigtrap-log-end")
    run("command script add -o -f sigtrap_values.stop_at_instructions sigtrap-stop-at-instructions")
    run("command script add -o -f sigtrap_values.unrepeatable_here sigtrap-unrepeatable")
    run("command script add -o -f sigtrap_values.read_seed sigtrap-seed")
    run("command script add -o -f sigtrap_values.write_seed sigtrap-set-seed")
    run("command script add -o -f sigtrap_values.kernel_begin sigtrap-kernel-begin")
    run("command script add -o -f sigtrap_values.kernel_end sigtrap-kernel-end")
    run("command script add -o -f sigtrap_values.allocations_begin sigtrap-allocations-begin")
    run("command script add -o -f sigtrap_values.allocations_end sigtrap-allocations-end")
    run("command script add -o -f sigtrap_values.memory_kind sigtrap-memory")
    run("command script add -o -f sigtrap_values.due_breakpoints sigtrap-due-breakpoints")
    run("command script add -o -f sigtrap_values.unknown_names sigtrap-unknown-names")
    run("command script add -o -f sigtrap_values.signal_breakpoints sigtrap-signal-breakpoints")
    run("command script add -o -f sigtrap_values.fault_again sigtrap-fault-again")
    run("command script add -o -f sigtrap_values.call_frames sigtrap-call-frames")
    run("command script add -o -f sigtrap_values.frame_variables sigtrap-frame-variables")
    run("command script add -o -f sigtrap_values.frame_global sigtrap-frame-global")
    run("command script add -o -f sigtrap_values.name_result sigtrap-name-result")
    run("command script add -o -f sigtrap_values.step_begin sigtrap-step-begin")
    run("command script add -o -f sigtrap_values.step_end sigtrap-step-end")
    run("command script add -o -f sigtrap_values.step_landed sigtrap-step-landed")
    run("command script add -o -f sigtrap_values.step_abandon sigtrap-step-abandon")
    run("command script add -o -f sigtrap_values.leave_breakpoint sigtrap-leave-breakpoint")
    run("command script add -o -f sigtrap_values.library_event sigtrap-library-event")
    run("command script add -o -f sigtrap_values.set_watch_conditions sigtrap-watch-conditions")
    run("command script add -o -f sigtrap_values.watch_from sigtrap-watch-from")
    run("command script add -o -f sigtrap_values.watch_stop sigtrap-watch-stop")
    run("command script add -o -f sigtrap_values.answer sigtrap-read")
    run("command script add -o -f sigtrap_values.answer_constant sigtrap-constant")
    run("command script add -o -f sigtrap_values.format_value sigtrap-format")
    run("command script add -o -f sigtrap_values.answer_lengths sigtrap-lengths")
    run("command script add -o -f sigtrap_values.answer_compile sigtrap-compile")
    run("command script add -o -f sigtrap_values.answer_compile_at sigtrap-compile-at")
    run("command script add -o -f sigtrap_values.stop_at_escaping sigtrap-stop-at-escaping")
    run("command script add -o -f sigtrap_values.set_hit_condition sigtrap-hit-condition")
    run("command script add -o -f sigtrap_values.left sigtrap-left")
    run("command script add -o -f sigtrap_values.answer_returned sigtrap-returned")
`
