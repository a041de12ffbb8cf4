import { mapStates } from '../async/generators.ts';
import type { Content } from '../model/content.ts';
import { equal } from '../model/walk-rich-text.ts';
import type { Invocation } from '../ports/platform.ts';
import type { Stream } from './command.ts';
import { showGrowing } from './streamed-answer.ts';

/**
 * One answer while a command works on it. Where the platform grants few updates, the last one is kept
 * for the final state: what is shown meanwhile may wait for `finish`.
 */
export interface AnswerUpdates {
  /** Aborted when the asker is gone, or when the answer can no longer be shown. */
  readonly signal: AbortSignal;
  /** Shows `content` in place of what was shown. */
  readonly show: (content: Content) => Promise<void>;
  readonly stream: Stream;
  /** Shows what waits for the last update, if anything does. */
  finish(): Promise<void>;
  /** The newest content, whether it is shown yet or not; undefined before the first. */
  readonly newest: () => Content | undefined;
}

const isSame = (before: Content | undefined, content: Content): boolean =>
  before !== undefined &&
  equal(before.text, content.text) &&
  before.tone === content.tone &&
  [before, content].every(({ files, controls }) => !files && !controls);

export const createAnswerUpdates = ({
  signal: asked,
  answer,
}: Pick<Invocation, 'signal' | 'answer'>): AnswerUpdates => {
  let left = answer.updates ?? Infinity;
  let newest: Content | undefined;
  let isWaiting = false;
  const unseen = new AbortController();
  const signal = AbortSignal.any([asked, unseen.signal]);

  const update = async (content: Content): Promise<void> => {
    left -= 1;
    isWaiting = false;
    try {
      await answer.show(content);
    } catch (thrown) {
      unseen.abort();
      throw thrown;
    }
  };

  const show = async (content: Content): Promise<void> => {
    signal.throwIfAborted();
    if (isSame(newest, content)) return;
    if (left > 1) await update(content);
    else isWaiting = true;
    newest = content;
  };

  const stream: Stream = async (states, as) => {
    let grown: (() => Content) | undefined;
    const contents = mapStates(states, (state) => (grown = () => ({ text: as(state) })));
    try {
      return await showGrowing(contents, async (content) => show(content()), {
        paceMs: answer.paceMs,
        // A command may stream several times.
        updates: Math.max(1, Math.ceil(left / 2)),
      });
    } catch (thrown) {
      // Where updates are counted, little of it may have been shown.
      if (left < Infinity && grown) newest = grown();
      throw thrown;
    }
  };

  return {
    signal,
    show,
    stream,
    finish: async () => {
      if (isWaiting && newest) await update(newest);
    },
    newest: () => newest,
  };
};
