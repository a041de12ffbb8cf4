import { beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { Services } from '../../../../src/command/services.ts';
import { plainWords } from '../../../../src/model/compose-rich-text.ts';
import { findLanguage, languageName } from '../../../../src/text/language/languages.ts';
import { createMessageTranslator } from '../../../../src/autotranslate/prepare/translate.ts';
import { plainTranslator } from '../../../fakes/autotranslate.ts';
import { WATCH } from '../../../../src/store/inbox/row.ts';
import { messageOf } from '../../store/inbox/support.ts';

const away = new AppError('unavailable', 'away', { retryable: true });
const { signal } = new AbortController();

let fault: AppError | undefined;

const services = {
  languages: { find: findLanguage, name: languageName },
  translator: {
    async *translate(...given: Parameters<typeof plainTranslator.translate>) {
      if (fault) throw fault;
      return yield* plainTranslator.translate(...given);
    },
  },
} as unknown as Services;

const make = (text: string, isLast = false) => {
  const message = messageOf(1, text);
  return createMessageTranslator(services).translate(
    { ref: message.ref, purpose: WATCH, revision: 1, authorId: 'ada' },
    { message, languages: ['es', 'ja'], transcribes: false, context: [], isLast },
    signal,
  );
};

beforeEach(() => {
  fault = undefined;
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

  it('is left as it is when it is broken off, also with the last try', async () => {
    fault = new AppError('cancelled', 'stopped');
    await expect(make('hello', true)).rejects.toBe(fault);
  });
});
