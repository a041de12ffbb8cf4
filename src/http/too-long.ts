/** Words with which servers refuse a text that is too long for their model's context. */
const TOO_LONG =
  /context[ _](?:length|size|window)|too long for the (?:language )?model|prompt is too long|too many (?:input |prompt )?tokens|maximum (?:context|prompt|input|number of tokens)|exceeds?\b.{0,60}\b(?:tokens|context)/i;

/** True for an error of a server that says that a text is too long for its model. */
export const saysTooLong = (message: string): boolean => TOO_LONG.test(message);
