import { describe, expect, it } from 'vitest';
import { labelled } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';
import { lines, secondsAgo } from './support.ts';

const harness = useCommandHarness();

describe('the file of /catchup', () => {
  it('puts everything into a file', async () => {
    const [first, ...rest] = lines(60);
    harness().script.messages = [{ ...first!, replies: { count: 2, ours: 'none' } }, ...rest];
    await harness().run('catchup', { to: 'es' });
    const { text, files = [] } = await harness().press('catchup.file');
    const part = { part: 'all', count: 60, first: 1, last: 60 };
    const params = { ...part, replies: 0, language: 'Spanish', translated: 60 };
    const since = `<t:${secondsAgo(1_440)}:f>`;
    expect(text).toContain(sentence('catchup.file-ready', { ...params, since }));
    const [head, , line, ...others] = Buffer.from(files[0]!.bytes).toString().split('\n');
    expect(head).toBe(sentence('catchup.file-head', { ...params, since: '2026-05-19 13:00' }));
    const replies = sentence('catchup.replies', { count: 2 });
    expect(line).toBe(`[2026-05-20 12:00] Cat: es:line 1. [🧵 ${replies}]`);
    expect(others).toHaveLength(60);
  });

  it.each([
    ['newest', 300, 1, {}, '2026-05-19 13:00'],
    ['more', 300, 1, { on: lines(360)[0]! }, '2026-05-20 07:00'],
    ['last', 360, 301, { on: lines(360)[0]! }, '2026-05-20 07:00'],
  ])('says in the file which messages it holds of more: %s', async (...given) => {
    const [part, count, first, asking, since] = given;
    harness().script.messages = lines(360);
    await harness().run('catchup', part === 'newest' ? { to: 'es' } : {}, asking);
    if (part === 'last') {
      const end = labelled(await harness().press('catchup.read'), 'catchup.later')!.press;
      await harness().pressNamed(end.replace(/[^,]*$/, lines(360)[296]!.position));
      await harness().press('catchup.read-on');
    }
    const { files = [] } = await harness().press('catchup.file');
    const [head] = Buffer.from(files[0]!.bytes).toString().split('\n');
    const numbers = { part, count, first, last: count, since };
    const isAsked = part === 'newest';
    const language = isAsked ? 'Spanish' : 'English';
    const rest = { replies: 0, language, translated: isAsked ? count : 0 };
    expect(head).toBe(sentence('catchup.file-head', { ...numbers, ...rest }));
  });

  it('says on the page of the file that more was written', async () => {
    harness().script.messages = lines(360);
    await harness().run('catchup', { to: 'es' }, { on: lines(360)[0]! });
    const next = sentence('catchup.next', { count: 300 });
    const { text, controls } = await harness().press('catchup.file');
    expect(text.split(next)).toHaveLength(2);
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
