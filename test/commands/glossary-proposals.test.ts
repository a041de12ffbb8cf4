import { describe, expect, it } from 'vitest';
import { useCoreHarness } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const { harness, last } = useCoreHarness();

const FOX = { term: 'fox', translation: '狐', language: 'ja' };
const NAMED = { term: '`fox`', translation: '`狐`' };
const member = { role: 'member', id: 'bob' } as const;

const propose = (options: Record<string, unknown> = FOX, id = 'bob') =>
  last('glossary propose', options, { ...member, id });

describe('a proposal for the glossary', () => {
  it('waits until a moderator accepts it, and is in the glossary then', async () => {
    expect((await propose()).text).toBe(sentence('glossary.proposed'));
    const { text } = await last('glossary proposals');
    expect(text).toContain(sentence('glossary.proposals', { number: 1, count: 1 }));
    expect(text).toContain('`fox` → `狐`');
    expect((await last('glossary list')).text).not.toContain('fox');
    await last('glossary proposals');
    const after = await harness().press('glossary.accept');
    const accepted = sentence('glossary.accepted', NAMED);
    expect(after.text).toBe(`${accepted}\n\n${sentence('glossary.no-proposals')}`);
    expect((await last('glossary list')).text).toContain('`fox` → `狐` · Japanese');
  });

  it('that is refused is gone, and the next one follows', async () => {
    await propose();
    await propose({ ...FOX, term: 'cub' });
    await last('glossary proposals');
    const { text } = await harness().press('glossary.refuse');
    expect(text).toContain(sentence('glossary.refused', NAMED));
    expect(text).toContain(sentence('glossary.proposals', { number: 1, count: 1 }));
    expect((await last('glossary list')).text).not.toContain('fox');
  });

  it('is decided once, by moderators alone', async () => {
    await propose();
    const { controls } = await last('glossary proposals');
    const accept = controls![0]!.press;
    expect((await harness().pressNamed(accept, member)).tone).toBe('error');
    expect((await last('glossary list')).text).not.toContain('fox');
    await harness().pressNamed(accept);
    const again = await harness().pressNamed(accept);
    expect(again.text).toContain(sentence('glossary.decided'));
    expect((await last('glossary proposals', {}, member)).tone).toBe('error');
  });

  it.each([
    ['take', 'glossary.accepted'],
    ['drop', 'glossary.refused'],
  ] as const)(
    'is decided in the moderators’ channel, and its buttons go then: %s',
    async (press, key) => {
      await propose();
      const { controls } = await last('glossary proposals');
      const id = controls![0]!.press.split(':')[1];
      expect((await harness().pressNamed(`glossary ${press}:${id}`, member)).tone).toBe('error');
      const decided = await harness().pressNamed(`glossary ${press}:${id}`);
      expect(decided.text).toBe(sentence(key, NAMED));
      expect(decided.controls ?? []).toEqual([]);
      expect((await last('glossary list')).text.includes('fox')).toBe(press === 'take');
      const again = await harness().pressNamed(`glossary ${press}:${id}`);
      expect(again.text).toBe(sentence('glossary.decided'));
    },
  );

  it('counts once, and one person has five at most', async () => {
    for (const term of ['a1', 'a1', 'a2', 'a3', 'a4', 'a5'])
      expect((await propose({ ...FOX, term })).tone).not.toBe('error');
    expect((await propose({ ...FOX, term: 'a6' })).tone).toBe('error');
    expect((await propose({ ...FOX, term: 'a6' }, 'eve')).tone).not.toBe('error');
    expect((await last('glossary proposals')).text).toContain(
      sentence('glossary.proposals', { number: 1, count: 6 }),
    );
  });

  it('is shown whole, and none has to be decided before the next', async () => {
    const [term, translation] = ['fox '.repeat(49).trim(), '狐'.repeat(200)];
    await propose();
    await propose({ ...FOX, term, translation });
    await last('glossary proposals');
    const whole = `\`${term}\` → \`${translation}\``;
    const { text, controls = [] } = await harness().press('glossary.next-proposal');
    expect(text).toContain(sentence('glossary.proposals', { number: 2, count: 2 }));
    expect(text).toContain(whole);
    const first = await harness().pressNamed('glossary next:2');
    expect(first.text).toContain(sentence('glossary.proposals', { number: 1, count: 2 }));
    const id = controls[0]!.press.split(':')[1];
    const named = { term: `\`${term}\``, translation: `\`${translation}\`` };
    const decided = await harness().pressNamed(`glossary take:${id}`);
    expect(decided.text).toBe(sentence('glossary.accepted', named));
    for (const forged of ['99', '-1', 'x', ''])
      expect((await harness().pressNamed(`glossary next:${forged}`)).text).toContain('fox');
  });

  it.each(['x'.repeat(201), '`@everyone`'])('breaks and pings nothing: %s', async (term) => {
    await propose({ ...FOX, term });
    const { text } = await last('glossary proposals');
    expect(text).not.toContain('\n@everyone');
  });
});

describe('the form under a translation', () => {
  const press = (typed: string) => harness().pressNamed('glossary better:ja', member, [typed]);

  it.each(['fox → 狐', 'fox=狐', ' fox -> 狐 '])('proposes %j', async (typed) => {
    expect((await press(typed)).text).toBe(sentence('glossary.proposed'));
    expect((await last('glossary proposals')).text).toContain('`fox` → `狐`');
  });

  it.each(['fox', '→ 狐', 'fox →', ''])('says what is missing in %j', async (typed) => {
    expect((await press(typed)).text).toContain(sentence('glossary.better-how'));
    expect((await last('glossary proposals')).text).toBe(sentence('glossary.no-proposals'));
  });
});
