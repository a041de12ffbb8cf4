import { beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { Services } from '../../../../src/command/services.ts';
import { plainWords } from '../../../../src/model/compose-rich-text.ts';
import type { MessageFile } from '../../../../src/model/file.ts';
import { findLanguage, languageName } from '../../../../src/text/language/languages.ts';
import { createMessageTranslator } from '../../../../src/autotranslate/prepare/translate.ts';
import { plainTranslator } from '../../../fakes/autotranslate.ts';
import { WATCH } from '../../../../src/store/inbox/row.ts';
import { messageOf } from '../../store/inbox/support.ts';

const away = new AppError('unavailable', 'away', { retryable: true });
const { signal } = new AbortController();

let fault: AppError | undefined;
let heardFault: AppError | undefined;
const transcript = {
  text: 'es:hola',
  language: 'es',
  confidence: 1,
  durationMs: 95_000,
  segments: [],
};

const services = {
  languages: { find: findLanguage, name: languageName },
  translator: {
    async *translate(...given: Parameters<typeof plainTranslator.translate>) {
      if (fault) throw fault;
      return yield* plainTranslator.translate(...given);
    },
  },
  transcriber: {
    async *transcribe() {
      yield { text: 'es:', heardMs: 60_000, totalMs: 95_000 };
      if (heardFault) throw heardFault;
      return transcript;
    },
  },
} as unknown as Services;

const audio: MessageFile = {
  id: 'a1',
  name: 'a.ogg',
  mediaType: 'audio/ogg',
  sizeBytes: 8,
  async *open() {},
};

const make = (
  text: string,
  isLast = false,
  { translate } = createMessageTranslator(services),
  files: readonly MessageFile[] = [],
) => {
  const message = { ...messageOf(1, text), files };
  return translate(
    { ref: message.ref, purpose: WATCH, revision: 1, authorId: 'ada' },
    { message, languages: ['es', 'ja'], transcribes: true, context: [], isLast },
    signal,
  );
};

beforeEach(() => {
  fault = undefined;
  heardFault = undefined;
});

describe('what a message becomes', () => {
  it('costs what was translated, and nothing for what is in its language already', async () => {
    expect(await make('es:hola')).toMatchObject({
      renditions: [{ outcome: 'same' }, { outcome: 'translated', text: plainWords('ja(es:hola)') }],
      used: { characters: 7 },
      fault: undefined,
    });
  });

  it('is not given up while another try may do better, but with the last one', async () => {
    fault = away;
    await expect(make('hello')).rejects.toBe(away);
    expect(await make('hello', true)).toMatchObject({
      renditions: [
        { outcome: 'failed', text: plainWords('hello') },
        { outcome: 'failed', text: plainWords('hello') },
      ],
      fault: { code: 'unavailable' },
      used: { characters: 0 },
    });
  });

  it('counts whole transcripts once, and nothing of one that broke off', async () => {
    const translator = createMessageTranslator(services);
    heardFault = away;
    await expect(make('', false, translator, [audio])).rejects.toBe(away);
    heardFault = undefined;
    fault = away;
    await expect(make('', false, translator, [audio])).rejects.toBe(away);
    fault = undefined;
    expect(await make('', false, translator, [audio])).toMatchObject({
      transcript,
      used: { characters: 7, audioMs: 95_000 },
    });
  });

  it('is left as it is when it is broken off, also with the last try', async () => {
    fault = new AppError('cancelled', 'stopped');
    await expect(make('hello', true)).rejects.toBe(fault);
  });
});
