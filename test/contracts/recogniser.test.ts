import { realClock } from '../../src/async/clock.ts';
import { ASKER } from '../fakes/asker.ts';
import type { Recogniser, Recognition, RecognitionRequest } from '../../src/ports/recogniser.ts';
import { createBatchRecogniser } from '../../src/voice/stt/batch-recogniser.ts';
import { createTestRealtime } from '../fakes/realtime-recogniser.ts';
import { createStreamingRecogniser, wordClient } from '../fakes/recogniser.ts';
import { testBroken, testContract } from './contract.ts';
import { recogniserContract } from './recogniser.ts';

testContract('a batch recogniser', recogniserContract, () =>
  createBatchRecogniser(wordClient, { ...ASKER, clock: realClock }),
);
testContract('a batch recogniser without partials', recogniserContract, () =>
  createBatchRecogniser(wordClient, { ...ASKER, clock: realClock, partialEveryMs: 0 }),
);
testContract('a streaming recogniser', recogniserContract, () => createStreamingRecogniser());
testContract('a realtime recogniser', recogniserContract, () => createTestRealtime().recogniser);
testContract(
  'a realtime recogniser whose service refuses it',
  recogniserContract,
  () => createTestRealtime({ faults: [{ refuse: 403 }] }).recogniser,
);
testContract(
  'a realtime recogniser whose connections break',
  recogniserContract,
  () => createTestRealtime({ faults: [{ cutAfterMs: 700 }, { cutAfterMs: 1_500 }] }).recogniser,
);

const NEVER = new AbortController().signal;

/** A streaming recogniser whose requests are changed before it gets them. */
const broken = (change: (request: RecognitionRequest) => RecognitionRequest): Recogniser => {
  const inner = createStreamingRecogniser();
  return { growEveryMs: inner.growEveryMs, start: (request) => inner.start(change(request)) };
};

/** A streaming recogniser whose recognitions are changed. */
const changing = (
  change: (recognition: Recognition, request: RecognitionRequest) => Partial<Recognition>,
): Recogniser => {
  const inner = createStreamingRecogniser();
  return {
    growEveryMs: inner.growEveryMs,
    start: (request) => {
      const recognition = inner.start(request);
      return {
        grow: (utterance) => recognition.grow(utterance),
        finish: (utterance, deadlineMs) => recognition.finish(utterance, deadlineMs),
        ...change(recognition, request),
      };
    },
  };
};

const once = (): Recogniser => {
  let isUsed = false;
  return changing((recognition) => ({
    finish: async (utterance, deadlineMs) => {
      if (isUsed) throw new Error('busy');
      isUsed = true;
      return recognition.finish(utterance, deadlineMs);
    },
  }));
};

/** Transcribes all that it was ever shown, whatever it is asked to finish. */
const keepingAll = (): Recogniser =>
  changing((recognition) => {
    let all: Parameters<typeof recognition.grow>[0] | undefined;
    return {
      grow: (utterance) => {
        all = utterance;
        recognition.grow(utterance);
      },
      finish: async (utterance, deadlineMs) => recognition.finish(all ?? utterance, deadlineMs),
    };
  });

testBroken(recogniserContract, {
  'serves one recognition at a time': {
    port: once(),
    fails: 'recognises the same utterance several times side by side',
  },
  'goes on reporting after the end': {
    port: changing((recognition, request) => ({
      finish: async (utterance, deadlineMs) => {
        const result = await recognition.finish(utterance, deadlineMs);
        request.partial(result);
        return result;
      },
    })),
    fails: 'reports nothing more once it was asked to finish',
  },
  'takes certain text back': {
    port: broken((request) => {
      let count = 0;
      const partial: RecognitionRequest['partial'] = (result) => {
        count += 1;
        request.partial(count % 2 === 1 ? result : { ...result, text: '' });
      };
      return { ...request, partial };
    }),
    fails: 'shows certain text that only grows, where it wants to see utterances grow',
  },
  'shows nothing while somebody speaks': {
    port: broken((request) => ({ ...request, partial: () => undefined })),
    fails: 'shows certain text that only grows, where it wants to see utterances grow',
  },
  'ends behind a packet that it was not given': {
    port: broken((request) => ({ ...request, final: (result) => request.final(result, 0) })),
    fails: 'finds no more than one end, behind a packet that it was given, and stops there',
  },
  'keeps what was cut off': {
    port: keepingAll(),
    fails: 'recognises no more than is left of an utterance whose end was cut off',
  },
  'does not mind an abort': {
    port: broken((request) => ({ ...request, signal: NEVER })),
    fails: 'stops at once when nobody wants the result any more',
  },
});
