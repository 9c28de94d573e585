// Every surface answers whatever the answer says; a few answers of each operation.
import * as GeneratedAnswers from "./generatedAnswers.ts"

GeneratedAnswers.declare(4)
