// Every surface answers whatever the answer says; many answers of each operation.
import * as GeneratedAnswers from "./generatedAnswers.ts"

GeneratedAnswers.declare(15)
