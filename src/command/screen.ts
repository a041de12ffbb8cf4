import type { Content } from '../model/content.ts';
import type { Invocation } from '../ports/platform.ts';

/** Where one answer is shown while it is worked on. */
export interface Screen {
  /** Aborted when the asker is gone, or when the answer can no longer be shown. */
  readonly signal: AbortSignal;
  readonly show: (content: Content) => Promise<void>;
  /** What stands there; undefined before the first showing. */
  readonly shown: () => Content | undefined;
}

const isSame = (shown: Content | undefined, content: Content): boolean =>
  shown?.text === content.text &&
  shown.tone === content.tone &&
  [shown, content].every(({ files, controls }) => !files && !controls);

export const createScreen = ({
  signal: asked,
  answer,
}: Pick<Invocation, 'signal' | 'answer'>): Screen => {
  let shown: Content | undefined;
  const unseen = new AbortController();
  const signal = AbortSignal.any([asked, unseen.signal]);
  return {
    signal,
    shown: () => shown,
    async show(content) {
      signal.throwIfAborted();
      if (isSame(shown, content)) return;
      try {
        await answer.show(content);
      } catch (thrown) {
        unseen.abort();
        throw thrown;
      }
      shown = content;
    },
  };
};
