/**
 * The Python that sigtrap loads into LLDB: formatters for the C++ library, and commands that answer what LLDB's own do not.
 *
 * LLDB runs Python if it was built with it. Without Python the command `load` fails, and LLDB's own formatters remain. Each
 * source has a module of its own here; LLDB loads them as one Python module, so no two of them define the same name.
 */
import { allocations } from "./records/Allocations.ts"
import { assignedTexts } from "./expressions/AssignedTexts.ts"
import { bracedTexts } from "./formatters/BracedTexts.ts"
import { bytes } from "./formatters/Bytes.ts"
import { callFrames } from "./frames/CallFrames.ts"
import { caughtExceptions } from "./resume/CaughtExceptions.ts"
import { childPages } from "./formatters/ChildPages.ts"
import { children } from "./formatters/Children.ts"
import { closures } from "./expressions/Closures.ts"
import { commandBatch } from "./CommandBatch.ts"
import { compilation } from "./expressions/Compilation.ts"
import { declaredStrings } from "./formatters/DeclaredStrings.ts"
import { dueBreakpoints } from "./breakpoints/DueBreakpoints.ts"
import { dwarf } from "./Dwarf.ts"
import { elements } from "./expressions/Elements.ts"
import { enumerators } from "./expressions/Enumerators.ts"
import { escapingExceptions } from "./resume/EscapingExceptions.ts"
import { faultSignals } from "./resume/FaultSignals.ts"
import { frameVariables } from "./frames/FrameVariables.ts"
import { functionPointers } from "./formatters/FunctionPointers.ts"
import { hitConditions } from "./breakpoints/HitConditions.ts"
import { hitFrames } from "./frames/HitFrames.ts"
import { incompleteTypes } from "./formatters/IncompleteTypes.ts"
import { install } from "./Install.ts"
import { instructions } from "./resume/Instructions.ts"
import { iterators } from "./formatters/Iterators.ts"
import { kernelWrites } from "./records/KernelWrites.ts"
import { libraries } from "./breakpoints/Libraries.ts"
import { logRecords } from "./records/LogRecords.ts"
import { longJumps } from "./resume/LongJumps.ts"
import { memberArrays } from "./formatters/MemberArrays.ts"
import { nestedObjects } from "./formatters/NestedObjects.ts"
import { memberPointers } from "./formatters/MemberPointers.ts"
import { arrays } from "./formatters/Arrays.ts"
import { formattedValues } from "./formatters/FormattedValues.ts"
import { pathRecords } from "./records/PathRecords.ts"
import { paths } from "./expressions/ElementPaths.ts"
import { pendingSignals } from "./resume/PendingSignals.ts"
import { resultNames } from "./expressions/ResultNames.ts"
import { returned } from "./frames/ReturnedValue.ts"
import { tracePlaces } from "./records/TracePlaces.ts"
import { typedMemory } from "./expressions/TypedMemory.ts"
import { types } from "./formatters/Types.ts"
import { unknownNames } from "./expressions/UnknownNames.ts"
import { traceRecords } from "./records/TraceRecords.ts"
import { trees } from "./formatters/Trees.ts"
import { unrepeatableCode } from "./resume/UnrepeatableCode.ts"
import { sessionStarts } from "./SessionStarts.ts"
import { stepEnds } from "./resume/StepEnds.ts"
import { strings } from "./formatters/Strings.ts"
import { summaries } from "./formatters/Summaries.ts"
import { times } from "./formatters/Times.ts"
import { valueTypes } from "./formatters/ValueTypes.ts"
import { unwindExpressions } from "./frames/UnwindExpressions.ts"
import { variableLengths } from "./formatters/VariableLengths.ts"
import { virtualBases } from "./formatters/VirtualBases.ts"
import { watchConditions } from "./breakpoints/WatchConditions.ts"
import { watchHits } from "./breakpoints/WatchHits.ts"
import { wrapped } from "./formatters/Wrappers.ts"

const source = JSON.stringify(
  [
    types,
    bracedTexts,
    summaries,
    times,
    incompleteTypes,
    memberPointers,
    strings,
    children,
    declaredStrings,
    trees,
    dwarf,
    variableLengths,
    memberArrays,
    arrays,
    nestedObjects,
    functionPointers,
    bytes,
    virtualBases,
    paths,
    formattedValues,
    typedMemory,
    wrapped,
    valueTypes,
    iterators,
    elements,
    enumerators,
    unknownNames,
    closures,
    compilation,
    assignedTexts,
    resultNames,
    returned,
    hitFrames,
    traceRecords,
    tracePlaces,
    logRecords,
    unrepeatableCode,
    kernelWrites,
    allocations,
    dueBreakpoints,
    hitConditions,
    instructions,
    faultSignals,
    pendingSignals,
    unwindExpressions,
    callFrames,
    frameVariables,
    stepEnds,
    caughtExceptions,
    escapingExceptions,
    longJumps,
    libraries,
    watchConditions,
    watchHits,
    pathRecords,
    commandBatch,
    childPages,
    sessionStarts,
    install
  ].join("\n")
)

const loader = `import sys,types
sigtrap_values=types.ModuleType('sigtrap_values')
sys.modules['sigtrap_values']=sigtrap_values
exec(compile(${source},'sigtrap_values','exec'),sigtrap_values.__dict__)
sigtrap_values.install(lldb.debugger)`

/** The LLDB command that loads the Python. */
export const load = `script exec(${JSON.stringify(loader)})`

/**
 * The initial commands of an adapter that load the Python. A version without command marks would print the command into the
 * session's console, so it gets none and keeps LLDB's own formatters. A command with the mark `?` is printed only if it fails.
 */
export const loading = ({ supportsCommandMarks }: { readonly supportsCommandMarks?: boolean }): ReadonlyArray<string> =>
  supportsCommandMarks === true ? [`?${load}`] : []
