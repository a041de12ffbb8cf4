import type { OutgoingFile } from './file.ts';
import type { RichText } from '../rich-text/rich-text.ts';

/** A control under a message. `press` names its work: `<command> <press>[:<arg>]`. */
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
      /** The most options that may be chosen; the least is none. Default: exactly one. */
      readonly most?: number;
    }
  | {
      /** A choice of any number of the space’s roles or channels. */
      readonly kind: 'roles' | 'channels';
      readonly press: string;
      readonly label: string;
      readonly chosen: readonly string[];
      /** The kind of channel that can be chosen. Default: any. */
      readonly only?: 'voice';
    };

/**
 * A message to post. An adapter splits texts that its platform finds too long, and makes sure that
 * nothing in them notifies anybody.
 */
export interface Content {
  readonly text: RichText;
  readonly files?: readonly OutgoingFile[];
  /** `error` and `note` are set apart visibly. Default `plain`. */
  readonly tone?: 'plain' | 'note' | 'error';
  /**
   * Rows of controls: one for each choice, buttons side by side; as many as
   * `Capabilities.controlRows`.
   */
  readonly controls?: readonly Control[];
}
