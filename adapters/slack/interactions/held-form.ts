import type { ViewResponseAction } from '@slack/bolt';
import { HINT_CHARS } from '../limits.ts';
import { realClock } from '../../../src/async/clock.ts';
import type { RichText } from '../../../src/rich-text/rich-text.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import type { Answer } from '../../../src/ports/platform.ts';
import { shorten } from '../../../src/text/quoted-words.ts';

/** Longest time for which a sent form stays open: Slack takes what comes of it for three seconds ("Modals"). */
const OPEN_MS = 2_000;

/** A form that was sent, and stays open with what was entered until something is shown. */
export interface HeldForm {
  /** Resolves once Slack knows what comes of it. */
  readonly settled: Promise<void>;
  readonly close: () => Promise<void>;
  /** An answer that closes the form with its first content; a fault before it stands in the form. */
  readonly before: (answer: Answer, block: string) => Answer;
  /** Says a fault under a field of the form, which stays open; false once it is closed. */
  readonly refusing: (block: string) => NonNullable<Answer['refuse']>;
}

/**
 * Holds a form that was sent open.
 *
 * @param named gives the mentions of a fault the names that stand in plain text
 */
export const holdForm = (
  acknowledge: (response?: ViewResponseAction) => Promise<void>,
  named: (text: RichText) => Promise<RichText>,
): HeldForm => {
  const { promise: settled, resolve, reject } = Promise.withResolvers<void>();
  let isOpen = true;
  const end = async (response?: ViewResponseAction): Promise<boolean> => {
    if (!isOpen) return false;
    isOpen = false;
    cancel();
    acknowledge(response).then(resolve, reject);
    await settled;
    return true;
  };
  const close = async (): Promise<void> => void (await end());
  const cancel = realClock.after(OPEN_MS, () => void close().catch(() => undefined));
  const refusing =
    (block: string): NonNullable<Answer['refuse']> =>
    async (reason) => {
      const words = plainText(await named(reason).catch(() => reason));
      const errors = { [block]: shorten(words, HINT_CHARS) };
      return end({ response_action: 'errors', errors });
    };
  return {
    settled,
    close,
    refusing,
    before: (answer, block) => ({
      ...answer,
      show: async (content) => {
        await close();
        await answer.show(content);
      },
      refuse: refusing(block),
    }),
  };
};
