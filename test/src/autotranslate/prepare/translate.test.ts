import { beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../fakes/silent-log.ts';
import { AppError } from '../../../../src/errors.ts';
import type { Services } from '../../../../src/command/services.ts';
import { plainWords } from '../../../../src/rich-text/compose.ts';
import { plainText } from '../../../../src/rich-text/walk.ts';
import type { MessageFile } from '../../../../src/model/message.ts';
import { findLanguage, languageName } from '../../../../src/text/language/languages.ts';
import { createMessageTranslator } from '../../../../src/autotranslate/prepare/translate.ts';
import { fromDisk } from '../../../../src/sqlite/disk-fault.ts';
import { createServiceKey, UnreadableKeyError } from '../../../../src/api/keys.ts';
import { serviceError } from '../../../../src/api/service-error.ts';
import { serviceKeyOf } from '../../../fakes/asker.ts';
import { OutageError } from '../../../../src/autotranslate/outages/breaker.ts';
import { createRecognitionOutages } from '../../../../src/autotranslate/outages/recognition.ts';
import { createOutages } from '../../../../src/autotranslate/outages/outage.ts';
import { plainTranslator } from '../../../fakes/autotranslate.ts';
import { WATCH } from '../../../../src/store/inbox/row.ts';
import { messageOf } from '../../store/inbox/support.ts';

const away = new AppError('unavailable', 'away', { retryable: true });
const { signal } = new AbortController();

let nowMs = 0;
let fault: AppError | undefined;
let heardFault: AppError | undefined;
/** A text that can never be translated. */
let poison: string | undefined;
const transcript = {
  text: 'es:hola',
  language: 'es',
  durationMs: 95_000,
  segments: [],
};

const services = {
  languages: { find: findLanguage, name: languageName },
  translator: {
    async *translate(...given: Parameters<typeof plainTranslator.translate>) {
      if (fault) throw fault;
      if (plainText(given[0].text) === poison) throw away;
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

const NOBODY_TOLD = { recordingsPaused: () => {}, recordingsResumed: () => {} };

const createTranslator = () =>
  createMessageTranslator(
    services,
    createOutages({
      ...services,
      serviceKeyOf,
      log: silentLog,
      nowMs: () => nowMs,
      ended: () => {},
    }),
    createRecognitionOutages({ serviceKeyOf, moderators: NOBODY_TOLD, nowMs: () => nowMs }),
  );

const make = (
  text: string,
  isLast = false,
  { translate } = createTranslator(),
  files: readonly MessageFile[] = [],
  until = signal,
) => {
  const message = { ...messageOf(1, text), files };
  return translate(
    { ref: message.ref, purpose: WATCH, revision: 1, authorId: 'ada', isMissed: false },
    { message, languages: ['es', 'ja'], expected: [], transcribes: true, context: [], isLast },
    until,
  );
};

beforeEach(() => {
  fault = undefined;
  heardFault = undefined;
  poison = undefined;
});

describe('what a message becomes', () => {
  it('costs what was translated, and nothing for what is in its language already', async () => {
    expect(await make('es:hola')).toMatchObject({
      renditions: [{ outcome: 'same' }, { outcome: 'translated', text: plainWords('ja(es:hola)') }],
      used: { characters: 7 },
      fault: undefined,
    });
  });

  it('waits for the end of an outage, also with the last try', async () => {
    fault = away;
    for (const isLast of [false, true]) {
      const given = make('hello', isLast);
      await expect(given).rejects.toBeInstanceOf(OutageError);
      await expect(given).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 5_000 });
    }
  });

  it.each([
    ['the first', 0],
    ['a later', 1],
  ])('is left at once where it changes while %s probe is not answered', async (_, failing) => {
    let probes = 0;
    const asked = Promise.withResolvers<void>();
    const translator = {
      async *translate() {
        if (++probes <= 2 * failing) throw away;
        asked.resolve();
        await new Promise<never>(() => {});
      },
    } as unknown as Services['translator'];
    const told = { serviceKeyOf, moderators: NOBODY_TOLD, nowMs: () => nowMs };
    const outages = createOutages({ ...told, translator, log: silentLog, ended: () => {} });
    const all = createMessageTranslator(services, outages, createRecognitionOutages(told));
    fault = away;
    for (let time = 0; time < failing; time += 1) {
      await expect(make('hello', false, all)).rejects.toBeInstanceOf(OutageError);
      nowMs += 5_000;
    }
    const abort = new AbortController();
    const given = make('hello', false, all, [], abort.signal);
    await asked.promise;
    abort.abort();
    await expect(given).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('waits where the key of its space cannot be decrypted', async () => {
    fault = new UnreadableKeyError(new Error('locked'));
    const outages = createOutages({
      ...services,
      serviceKeyOf: () => Promise.reject(new UnreadableKeyError(new Error('locked'))),
      log: silentLog,
      nowMs: () => nowMs,
      ended: () => {},
    });
    const given = make(
      'hello',
      true,
      createMessageTranslator(
        services,
        outages,
        createRecognitionOutages({ serviceKeyOf, moderators: NOBODY_TOLD, nowMs: () => nowMs }),
      ),
    );
    await expect(given).rejects.toBeInstanceOf(OutageError);
    await expect(given).rejects.toMatchObject({
      sentence: { key: 'service.unreadable-own-key' },
    });
  });

  it('is given up with the last try, where other texts can be translated', async () => {
    poison = 'hello';
    for (const isLast of [false, true])
      expect(await make('hello', isLast)).toMatchObject({
        renditions: [
          { outcome: 'failed', text: plainWords('hello') },
          { outcome: 'failed', text: plainWords('hello') },
        ],
        fault: { code: 'unavailable' },
        willRetry: !isLast,
        used: { characters: 0 },
      });
  });

  it('is tried again where something of ours failed', async () => {
    fault = new Error('disk I/O error') as AppError;
    expect(await make('hello')).toMatchObject({ fault: { code: 'internal' }, willRetry: true });
  });

  it('waits in its place while the database cannot be used, as every message does', async () => {
    fault = fromDisk(Object.assign(new Error('read'), { code: 'EIO' })) as AppError;
    const given = make('hello');
    await expect(given).rejects.toBe(fault);
    await expect(given).rejects.not.toBeInstanceOf(OutageError);
  });

  it('counts whole transcripts once, and nothing of one that broke off', async () => {
    const translator = createTranslator();
    heardFault = away;
    expect(await make('', false, translator, [audio])).toMatchObject({
      transcript: undefined,
      renditions: [{ outcome: 'failed' }, { outcome: 'failed' }],
      willRetry: true,
    });
    heardFault = undefined;
    fault = away;
    await expect(make('', false, translator, [audio])).rejects.toBeInstanceOf(OutageError);
    fault = undefined;
    nowMs += 5_000;
    expect(await make('', false, translator, [audio])).toMatchObject({
      transcript,
      used: { characters: 7, audioMs: 95_000 },
    });
  });

  it('waits beside the others where no recording is recognised, and its words are translated', async () => {
    const translator = createTranslator();
    heardFault = serviceError(403, undefined, '', createServiceKey('svck:any'));
    const made = () => make('hello', true, translator, [audio]);
    expect(await made()).toMatchObject({ fault: { code: 'forbidden' }, willRetry: false });
    const other = { ...messageOf(2, ''), files: [audio] };
    const row = { ref: other.ref, purpose: WATCH, revision: 1, authorId: 'ada', isMissed: false };
    const options = { message: other, languages: ['es'], expected: [], transcribes: true };
    const waiting = await translator.translate(
      row,
      { ...options, context: [], isLast: true },
      signal,
    );
    expect(waiting).toMatchObject({ fault: { name: 'OutageError' }, willRetry: true });
    expect(await made()).toMatchObject({
      renditions: [{ text: plainWords('es(hello)') }, { text: plainWords('ja(hello)') }],
      fault: { name: 'OutageError' },
      willRetry: true,
    });
    heardFault = undefined;
    nowMs += 30_000;
    expect(await made()).toMatchObject({ transcript, fault: undefined });
  });

  it('tells of a recording that cannot be read, whatever stands beside it', async () => {
    heardFault = new AppError('bad-input', 'no audio');
    const voice = { ...audio, voice: { durationMs: 1, loudness: [] } };
    for (const file of [voice, audio])
      expect(await make('hello', false, createTranslator(), [file])).toMatchObject({
        renditions: [{ outcome: 'translated' }, { outcome: 'translated' }],
        unheard: [{ name: audio.name, fault: heardFault }],
        fault: heardFault,
        willRetry: false,
      });
  });

  it('is left as it is when it is broken off, also with the last try', async () => {
    fault = new AppError('cancelled', 'stopped');
    await expect(make('hello', true)).rejects.toBe(fault);
  });
});
