/** A member's choice about being listened to in a space; undefined: none yet. */
export type ConsentChoice = 'allowed' | 'refused' | undefined;
