import { describe, expect, it } from 'vitest';
import { SAID } from '../../../commands/audit/said.ts';
import { AUDITED, type Audited } from '../../../src/model/audit.ts';
import { createSpaceSettings } from '../../../src/store/settings.ts';
import { noteChange } from '../../../src/store/audit.ts';
import { HERE, SPACE } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { realTexts } from '../../fakes/texts.ts';
import { useCommandHarness } from '../support.ts';

const harness = useCommandHarness();
const ADA = { id: 'ada', name: 'Ada', space: SPACE };

/** What people of this space do not do. */
const NOBODYS: ReadonlySet<string> = new Set(['banned', 'held-by', 'unheld-by', 'unagreed']);

const shown = async (): Promise<string> => (await harness().run('audit')).text;

describe('the sentences of /audit', () => {
  it.each(AUDITED)('has a sentence for %s, without technical names', async (what: Audited) => {
    const entry = { what, channelId: HERE.id, ...(what === 'setting' ? { after: {} } : {}) };
    await harness().store.write((db) => noteChange(db, SPACE, ADA, entry));
    expect(await shown()).toMatch(/^.* · (?:.*Ada|a person).*\.$/m);
  });

  it.each(SAID)('has a sentence in each locale for %s, with its person and without', (as) => {
    const given = { name: 'Ada', channel: '#here', channels: '#there', person: 'Eve' };
    const inLocale = (locale: string): string[] =>
      ['somebody', 'nobody'].map((who) => sentence(`audit.said.${as}`, { who, ...given }, locale));
    const locales = realTexts.locales.map(inLocale);
    const [english] = locales;
    for (const [somebody, nobody] of locales) {
      if (!NOBODYS.has(as)) expect(somebody).toContain('Ada');
      expect(nobody).not.toContain('Ada');
    }
    for (const other of locales.slice(1)) expect(other).not.toEqual(english);
  });

  it('has words for each setting there is', async () => {
    const spaces = createSpaceSettings(harness().store);
    const given = {
      flags: { on: false, languages: { '🦊': 'ja' }, keptMinutes: 5 },
      roles: { say: ['7'] },
      dailyCharacters: 10_000,
      dailyAudioMinutes: 10,
      dailyChatTokens: 10_000,
      quietChannels: [HERE.id],
      serverNames: 'off',
      links: { outside: 'nobody', approved: ['9'], privateChannels: false, channels: [HERE.id] },
      rules: { shortest: 5 },
      answersMention: false,
      reactions: false,
      languageRoles: { ja: '8' },
      moderators: { channel: HERE.id, locale: 'en' },
      moderatorGroups: ['G1'],
    } as const;
    const { rooms, greeted: _, ...before } = await spaces.of(SPACE);
    expect(Object.keys(given)).toEqual(expect.arrayContaining(Object.keys(before)));
    const changes = Object.entries({ ...given, rooms: { ...rooms, wakeWord: !rooms.wakeWord } });
    for (const [name, value] of changes) {
      await spaces.change(SPACE, { [name]: value });
      const [, detail = ''] = /^.*· .*\n +\S+ (.+)$/m.exec(await shown()) ?? [];
      expect(detail, name).toContain('→');
      expect(detail, name).not.toContain(name);
    }
  });
});
