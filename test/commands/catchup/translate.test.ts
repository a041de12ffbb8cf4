import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { userError } from '../../../src/errors.ts';
import { plainWords } from '../../../src/rich-text/compose.ts';
import { sentence } from '../../fakes/sentences.ts';
import { BOB, useCommandHarness } from '../support.ts';
import { lines, linesIn, secondsAgo, written } from './support.ts';

const harness = useCommandHarness();

/** Counts how often the service is asked from now on. */
const countTranslations = (): (() => number) => {
  const { translator } = harness().services;
  const translate = translator.translate.bind(translator);
  let asked = 0;
  Object.assign(translator, {
    translate: (...given: Parameters<typeof translate>) => {
      asked += 1;
      return translate(...given);
    },
  });
  return () => asked;
};

describe('the translations of /catchup', () => {
  it('translates a copy from what its author wrote', async () => {
    const copy = written('an English copy', 2);
    harness().script.messages = [copy];
    harness().script.sources.set(copy.ref.id, plainWords('la fuente'));
    const { text } = await harness().run('catchup', { to: 'fr' });
    expect(text).toContain('fr:la fuente');
    harness().script.messages = [{ ...copy, text: plainWords('an edited copy') }];
    const { files = [] } = await harness().press('catchup.file');
    expect(Buffer.from(files[0]!.bytes).toString()).toContain('fr:la fuente');
  });

  it('asks the service once for what is read again', async () => {
    harness().script.messages = lines(25);
    const asked = countTranslations();
    const first = await harness().run('catchup', { to: 'es' });
    await harness().press('catchup.later');
    expect(asked()).toBe(20);
    expect((await harness().press('catchup.earlier')).text).toBe(first.text);
    expect(asked()).toBe(20);
    await harness().press('catchup.file');
    expect(asked()).toBe(25);
    await harness().press('catchup.file', [], { member: BOB });
    expect(asked()).toBe(25);
    const [changed] = lines(25);
    harness().script.messages = [{ ...changed!, text: plainWords('changed') }];
    expect((await harness().press('catchup.file')).text).toContain('es:changed');
  });

  it('says that AI translated only where it did', async () => {
    harness().script.messages = lines(1);
    const heading = async () => (await harness().run('catchup', { to: 'es' })).text.split('\n')[0];
    const params = { count: 1, since: `<t:${secondsAgo(1_440)}:f>`, language: 'Spanish' };
    const words = { ...params, first: 1, last: 1, replies: 0 };
    expect(await heading()).toBe(sentence('catchup.page', { ...words, translated: 1 }));
    Object.assign(harness().services.translator, {
      async *translate({ text }: { text: unknown }) {
        yield await Promise.resolve(() => text);
        return { text, outcome: 'unchanged' };
      },
    });
    harness().script.messages = [written('other words', 1)];
    expect(await heading()).toBe(sentence('catchup.page', { ...words, translated: 0 }));
  });

  it('leaves messages as they were written where the service fails, and says why', async () => {
    harness().script.messages = lines(3);
    Object.assign(harness().services.translator, {
      async *translate() {
        yield await Promise.reject(userError('unavailable', 'errors.unavailable'));
      },
    });
    const { text } = await harness().run('catchup', { to: 'es' });
    expect(linesIn(text)).toHaveLength(3);
    expect(text).toContain(
      sentence('catchup.untranslated', { count: 3, reason: sentence('reasons.unavailable') }),
    );
  });

  it('asks a service no more that is too slow, and shows what there is', async () => {
    harness().script.messages = lines(60);
    await harness().run('catchup', { to: 'es' });
    const late = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(late.signal);
    onTestFinished(() => void vi.restoreAllMocks());
    let asked = 0;
    const { translator } = harness().services;
    Object.assign(translator, {
      async *translate(_: unknown, signal: AbortSignal) {
        asked += 1;
        if (asked === 8) late.abort(new DOMException('too slow', 'TimeoutError'));
        yield await new Promise((_resolve, reject) => {
          if (signal.aborted) reject(signal.reason as Error);
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      },
    });
    const { text, files = [] } = await harness().press('catchup.file');
    expect(asked).toBe(8);
    expect(text).toContain(
      sentence('catchup.untranslated', { count: 60, reason: sentence('reasons.timeout') }),
    );
    expect(linesIn(Buffer.from(files[0]!.bytes).toString())).toHaveLength(60);
  });
});
