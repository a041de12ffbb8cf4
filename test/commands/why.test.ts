import { describe, expect, it } from 'vitest';
import type { Explained, Explanation } from '../../src/autotranslate/explain.ts';
import { UNKNOWN_REASONS } from '../../src/autotranslate/explain.ts';
import { SKIP_REASONS } from '../../src/autotranslate/policy.ts';
import { realTexts } from '../fakes/texts.ts';
import { HERE, messageOf, SPACE } from '../fakes/command-harness.ts';
import { sentence } from '../fakes/sentences.ts';
import { EVE, useCommandHarness } from './support.ts';

const harness = useCommandHarness();
const on = { ...messageOf('hello'), author: { id: 'eve', name: 'Eve', kind: 'person' } } as const;
const ELSEWHERE = { space: { platform: 'test', id: 'elsewhere' }, id: '900' };

const explain = (part: Explanation, authorId = 'eve'): void => {
  const told: Explained = { ref: on.ref, authorId, parts: [part] };
  harness().script.explained = [told];
};
const ask = async (member: object = EVE) => harness().run('why', {}, { member, on });

describe('/why', () => {
  it('tells the author and moderators alone', async () => {
    explain({ state: 'skipped', reason: { key: 'why.skipped.bot' } });
    expect((await ask()).text).toContain(sentence('why.skipped.bot'));
    expect((await ask({ role: 'moderator' })).text).toContain(sentence('why.skipped.bot'));
    expect((await ask({ ...EVE, id: 'mallory' })).text).toBe(sentence('why.not-yours'));
  });

  it('names only channels that the asker may see, and counts those elsewhere', async () => {
    const seen = { space: SPACE, id: '101' };
    const hidden = { space: SPACE, id: '102' };
    harness().script.access = { [hidden.id]: 'none' };
    explain({ state: 'posted', sinceMs: 0, shownIn: [seen, hidden, ELSEWHERE] });
    const { text } = await ask();
    expect(text).toContain('101');
    expect(text).not.toContain('102');
    expect(text).not.toContain('900');
    expect(text).toContain(sentence('autotranslate.elsewhere', { count: 2 }));
  });

  it('tells moderators how what failed is tried again', async () => {
    explain({ state: 'dead', sinceMs: 0, reason: { key: 'reasons.timeout' } });
    expect((await ask()).text).not.toContain(sentence('why.try-again'));
    expect((await ask({ role: 'moderator' })).text).toContain(sentence('why.try-again'));
  });

  it('says how it is used where it is typed', async () => {
    expect((await harness().run('why', {}, {})).text).toBe(sentence('why.how'));
  });

  it.each(realTexts.locales)('has a sentence for each reason in %s', (locale) => {
    for (const reason of SKIP_REASONS)
      expect(sentence(`why.skipped.${reason}`, {}, locale)).toMatch(/\p{L}/u);
    for (const reason of UNKNOWN_REASONS)
      expect(sentence(`why.unknown.${reason}`, {}, locale)).toMatch(/\p{L}/u);
    expect(HERE.id).toBeDefined();
  });
});
