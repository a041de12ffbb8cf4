export const ABILITIES = ['chat', 'translation', 'recognition', 'speech'] as const;

/** A kind of work that engines do, and that is paid for. */
export type Ability = (typeof ABILITIES)[number];
