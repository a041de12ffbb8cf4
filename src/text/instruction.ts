const COMMAND_OR_VARIABLE =
  /((?:apt-get|npm) install(?: -[\w=-]+)*(?: [a-z][\w.-]*)?|npm run [a-z][\w-]*|\bdragoman (?:setup|service|doctor|db)\b|\b[A-Z]+(?:_[A-Z]+)+\b(?:=\S*[^\s,])?)/;

/**
 * Splits what an operator is told to do into words and, at odd places, the commands and variables
 * in it.
 */
export const splitInstruction = (written: string): readonly string[] =>
  written.split(COMMAND_OR_VARIABLE);
