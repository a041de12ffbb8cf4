import { type OutgoingFile } from './file.ts';
/** What people can press under a message. `press` says what it does: `<command> <press>[:<arg>]`. */
export type Control =
  | {
      readonly kind: 'button';
      readonly press: string;
      readonly label: string;
      readonly look?: 'plain' | 'primary' | 'danger';
    }
  | {
      readonly kind: 'choice';
      readonly press: string;
      readonly label: string;
      readonly choices: readonly {
        readonly value: string;
        readonly label: string;
        readonly chosen?: boolean;
      }[];
      /** How many may be chosen; from none to this. Default: exactly one. */
      readonly most?: number;
    }
  | {
      /** Any number of the space's roles or channels. */
      readonly kind: 'roles' | 'channels';
      readonly press: string;
      readonly label: string;
      readonly chosen: readonly string[];
      /** Of channels: only those in which people speak. */
      readonly only?: 'voice';
    };

/**
 * What is shown to people. `text` is the Markdown that chats share: bold, italic, strike, lists,
 * links, quotes, inline and fenced code. An adapter splits what its platform finds too long, and
 * makes sure that nothing in it pings.
 */
export interface Content {
  readonly text: string;
  readonly files?: readonly OutgoingFile[];
  /** `error` and `note` are set apart visibly. Default `plain`. */
  readonly tone?: 'plain' | 'note' | 'error';
  /** A row each for choices, buttons side by side; as many as `Capabilities.controlRows` says. */
  readonly controls?: readonly Control[];
}
