/** Why a space's own key is of no use: the service refuses it, or its account is empty; or it cannot be decrypted. */
export type KeyTrouble = 'refused' | 'no-credit' | 'unreadable';

/** The facts of a space's own key that may be told. */
export interface OwnKeyState {
  /** Name of the person who set it, as it was then; undefined where they had their data deleted. */
  readonly setBy: string | undefined;
  /** Time at which it was set, in ms since 1970. */
  readonly setMs: number;
  readonly trouble?: KeyTrouble;
}
