import { describe, expect, it } from 'vitest';
import { sentence } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';
import { lines } from './support.ts';

const harness = useCommandHarness();

describe('the file of /catchup', () => {
  it('puts everything into a file', async () => {
    const [first, ...rest] = lines(60);
    harness().script.messages = [{ ...first!, replies: { count: 2, ours: 'none' } }, ...rest];
    await harness().run('catchup', { to: 'es' });
    const { text, files = [] } = await harness().press('catchup.file');
    const params = { count: 60, replies: 0, language: 'Spanish', translated: 60 };
    expect(text).toContain(sentence('catchup.file-ready', params));
    const [head, , line, ...others] = Buffer.from(files[0]!.bytes).toString().split('\n');
    expect(head).toBe(sentence('catchup.file-head', params));
    const replies = sentence('catchup.replies', { count: 2 });
    expect(line).toBe(`[2026-05-20 12:00] Cat: es:line 1. [🧵 ${replies}]`);
    expect(others).toHaveLength(60);
  });

  it('says in the file and on its page that more was written', async () => {
    harness().script.messages = lines(360);
    const { text: asked } = await harness().run('catchup', { to: 'es' }, { on: lines(360)[0]! });
    const next = sentence('catchup.next', { count: 300 });
    expect(asked).toContain(next);
    const { text, files = [], controls } = await harness().press('catchup.file');
    expect(text.split(next)).toHaveLength(2);
    expect(Buffer.from(files[0]!.bytes).toString().split('\n')[1]).toBe(next);
    const labels = controls?.map(({ label }) => label);
    expect(labels).toContain(sentence('catchup.read-on'));
  });

  it('puts nothing into a file that is gone when it is finished', async () => {
    harness().script.messages = lines(60);
    await harness().run('catchup', { to: 'es' });
    const { translator } = harness().services;
    const translate = translator.translate.bind(translator);
    Object.assign(translator, {
      async *translate(...given: Parameters<typeof translator.translate>) {
        harness().script.messages = lines(60).slice(1);
        return yield* translate(...given);
      },
    });
    const { files = [] } = await harness().press('catchup.file');
    const file = Buffer.from(files[0]!.bytes).toString();
    expect(file).not.toContain('line 1.');
    expect(file).toContain('line 2.');
  });
});
