import { describe, expect, it } from 'vitest';
import { mirrorOf, watchOf } from '../fakes/autotranslate.ts';
import { HERE, labelled, SPACE } from '../fakes/command-harness.ts';
import { sentence } from '../fakes/sentences.ts';
import type { SAID } from '../../commands/audit/said.ts';
import { isSameChannel, keyOf, type Channel } from '../../src/model/place.ts';
import type { RoomChoices } from '../../src/model/room.ts';
import { OPEN_LINKS, type ChannelWatch, type SpaceChoices } from '../../src/model/space.ts';
import { actAs } from '../../src/store/actor.ts';
import { noteChange, type AuditNote } from '../../src/store/audit.ts';
import { openWatchStore } from '../../src/store/channels/watches.ts';
import { createSpaceSettings } from '../../src/store/settings.ts';
import { BOB, useCommandHarness } from './support.ts';

const harness = useCommandHarness();
const ADA = { id: 'ada', name: 'Ada', space: SPACE };
const BESIDE: Channel = { space: SPACE, id: '200' };
const THERE: Channel = { space: { platform: 'other', id: 'mar-azul' }, id: '300' };
const ESPANOL = 'espanol · Mar Azul (Discord)';

const openWatches = () =>
  openWatchStore(
    harness().store,
    () => 1,
    async () => ESPANOL,
  );
const shown = async (): Promise<string> => (await harness().run('audit')).text;
const exported = async (): Promise<string> => {
  const { files } = await harness().press('audit.export');
  return Buffer.from(files?.[0]?.bytes ?? []).toString();
};
const note = (entry: AuditNote) => harness().store.write((db) => noteChange(db, SPACE, ADA, entry));
const said = (as: (typeof SAID)[number], params: Record<string, string> = {}): string =>
  sentence(`audit.said.${as}`, { who: 'somebody', name: 'Ada', ...params });

describe('/audit', () => {
  it('says who changed a setting with a press, before and after, as people read it', async () => {
    await harness().run('settings');
    await harness().press('settings.flags-off');
    const text = await shown();
    expect(text).toContain(said('setting'));
    expect(text).toContain(
      `${sentence('settings.flags-are-on')} → ${sentence('settings.flags-are-off').split(': ')[1]}`,
    );
    expect(text).not.toMatch(/[{}"]|flags\b.*:true/);
  });

  it('says what differs in one order, however it was stored, with each label once', async () => {
    const [before, after] = [
      { languages: ['es'], mode: 'reply' },
      { mode: 'compact', languages: ['fr', 'ja'] },
    ];
    await note({ what: 'watch', channelId: HERE.id, before, after });
    const [was, is] = (['reply', 'compact'] as const).map((mode) =>
      sentence(`autotranslate.modes.${mode}`),
    );
    expect(await shown()).toContain(
      `${sentence('audit.mode', { mode: `${was} → ${is}` })}\n  - ${sentence('audit.languages', { languages: 'Spanish → French, Japanese' })}`,
    );
  });

  it('says who linked which channels, and who ended that, by their names', async () => {
    const watches = await openWatches();
    await actAs(ADA, () => watches.set(mirrorOf([HERE, 'en'], [THERE, 'es'])));
    const between = { channel: `<#${HERE.id}>`, channels: ESPANOL };
    expect(await shown()).toContain(said('linked', between));
    await actAs(ADA, () => watches.remove([HERE]));
    expect(await shown()).toContain(said('unlinked', between));
  });

  it('says which of several of one name others let in, in the list and in the file, and not that those did who left unlet', async () => {
    const watches = await openWatches();
    const guests = ['nord', 'sud', 'west'].map((id): Channel => ({
      space: { platform: 'other', id },
      id: `${id}-1`,
    }));
    const [nord, sud] = guests as [Channel, Channel];
    const open = { fromMs: 0 };
    const unagreed = { [keyOf(SPACE)]: open };
    const [own, ...others] = mirrorOf(
      [HERE, 'en'],
      ...guests.map((each): [Channel, string] => [each, 'es']),
    );
    await watches.set([own!, ...others.map((each) => ({ ...each, choices: { unagreed } }))]);
    const agreed = { choices: { unagreed: { [keyOf(SPACE)]: { ...open, untilMs: 1 } } } };
    const told = said('agreed', { channel: `<#${HERE.id}>`, channels: ESPANOL });
    await actAs(ADA, () => watches.remove([sud]));
    expect(await shown()).not.toContain(told);
    await actAs(ADA, () =>
      watches.update(HERE, (current) =>
        current.flatMap((each) =>
          isSameChannel(each.channel, nord) ? [{ ...each, ...agreed }] : [],
        ),
      ),
    );
    expect(await shown()).toContain(told);
    const { files } = await harness().press('audit.export');
    const csv = Buffer.from(files?.[0]?.bytes ?? []).toString();
    expect(csv).toContain(told.replace(`<#${HERE.id}>`, `#name of ${HERE.id}`));
  });

  it('says who took a channel of others out of the group in which one of this space stays', async () => {
    const watches = await openWatchStore(
      harness().store,
      () => 1,
      async ({ id }) => (id === '400' ? 'francais · Nord (Discord)' : ESPANOL),
    );
    const guest: Channel = { space: { platform: 'other', id: 'guests' }, id: '400' };
    await actAs(ADA, () => watches.set(mirrorOf([HERE, 'en'], [THERE, 'es'], [guest, 'fr'])));
    await actAs(ADA, () => watches.remove([guest]));
    const text = await shown();
    expect(text).toContain(
      said('taken-out', {
        channel: `<#${HERE.id}>`,
        channels: 'francais · Nord (Discord)',
      }),
    );
    expect(text).not.toContain('ended the link');
  });

  it('tells in one line that one of three linked channels was turned off', async () => {
    const watches = await openWatches();
    const third: Channel = { space: SPACE, id: '201' };
    await actAs(ADA, () => watches.set(mirrorOf([HERE, 'en'], [BESIDE, 'ja'], [third, 'fr'])));
    await actAs(ADA, () => watches.remove([BESIDE]));
    const text = await shown();
    expect(text).toContain('ended the link');
    expect(text).not.toContain('took');
  });

  it('names linked channels of the same space that the person sees, and counts others', async () => {
    const watches = await openWatches();
    await actAs(ADA, () => watches.set(mirrorOf([HERE, 'en'], [BESIDE, 'ja'])));
    expect(await shown()).toContain(
      said('linked', { channel: `<#${HERE.id}>`, channels: `<#${BESIDE.id}>` }),
    );
    harness().script.access = { [BESIDE.id]: 'none' };
    const text = await shown();
    expect(text).not.toContain(BESIDE.id);
    expect(text).toContain(sentence('channels.hidden', { count: 1 }));
  });

  it.each<[string, (typeof SAID)[number], (watch: ChannelWatch) => ChannelWatch]>([
    ['a pause', 'paused', (watch) => ({ ...watch, choices: { pause: { fromMs: 1 } } })],
    ['other languages', 'changed', (watch) => ({ ...watch, languages: ['fr'] })],
  ])('says %s of a channel', async (_, as, how) => {
    const watches = await openWatches();
    await actAs(ADA, () => watches.set([watchOf(HERE)]));
    expect(await shown()).toContain(said('on', { channel: `<#${HERE.id}>` }));
    await actAs(ADA, () => watches.update(HERE, (all) => all.map(how)));
    expect(await shown()).toContain(said(as, { channel: `<#${HERE.id}>` }));
  });

  it('says that a linked channel is muted, and shown again', async () => {
    await note({ what: 'watch', channelId: HERE.id, before: {}, after: { muted: [ESPANOL] } });
    await note({ what: 'watch', channelId: HERE.id, before: { muted: [ESPANOL] }, after: {} });
    const text = await shown();
    for (const as of ['muted', 'unmuted'] as const)
      expect(text).toContain(said(as, { channel: `<#${HERE.id}>`, channels: ESPANOL }));
  });

  it('names the server whose moderators did it, who asked from elsewhere, and an Undo', async () => {
    const watches = await openWatchStore(
      harness().store,
      () => 1,
      async () => ESPANOL,
      async () => 'Mar Azul (Discord)',
    );
    await actAs(ADA, () => watches.set(mirrorOf([HERE, 'en'], [THERE, 'es'])));
    await actAs({ ...ADA, id: 'eve', space: THERE.space }, () => watches.remove([HERE]));
    const name = sentence('audit.moderators-of', { server: 'Mar Azul (Discord)' });
    const params = { channel: `<#${HERE.id}>`, channels: ESPANOL };
    expect(await shown()).toContain(said('unlinked', { ...params, name }));
    await harness().store.write((db) =>
      noteChange(db, SPACE, undefined, {
        what: 'link-asked',
        channelId: HERE.id,
        after: { linkedElsewhere: [ESPANOL], name: 'Bob · Mar Azul (Discord)' },
      }),
    );
    expect(await shown()).toContain(
      said('link-asked', { ...params, name: 'Bob · Mar Azul (Discord)' }),
    );
    await harness().run('autotranslate reply', { languages: 'es' });
    await actAs({ ...ADA, isUndo: true }, () => watches.set([watchOf(HERE)]));
    expect(await shown()).toContain(
      `${sentence('autotranslate.wizard-undo')} · ${said('on', { channel: `<#${HERE.id}>` })}`,
    );
  });

  it('is for moderators, who read of channels that they see alone', async () => {
    const { script } = harness();
    const watches = await openWatches();
    await actAs(ADA, () => watches.set([watchOf(HERE)]));
    expect((await harness().run('audit', {}, { member: BOB })).text).toContain(
      sentence('errors.needs-moderator', { platform: 'test' }),
    );
    expect(await shown()).toContain(HERE.id);
    script.access = { [HERE.id]: 'none' };
    const text = await shown();
    expect(text).not.toContain(HERE.id);
    expect(text).toContain(sentence('channels.hidden', { count: 1 }));
    const { files } = await harness().press('audit.export');
    expect(Buffer.from(files?.[0]?.bytes ?? []).toString()).not.toContain(`,${HERE.id},`);
  });

  it('has names beside ids in the file', async () => {
    const watches = await openWatches();
    await actAs(ADA, () => watches.set(mirrorOf([HERE, 'en'], [THERE, 'es'])));
    await shown();
    const { files } = await harness().press('audit.export');
    const name = `#name of ${HERE.id}`;
    const told = said('linked', { channel: name, channels: ESPANOL });
    expect(Buffer.from(files?.[0]?.bytes ?? []).toString()).toContain(
      `,ada,Ada,watch,${HERE.id},${name},${told},`,
    );
  });

  it('shows ten at once, and the older ones with a press', async () => {
    const { services } = harness();
    for (let limit = 1; limit <= 12; limit += 1)
      await services.spaces.change(SPACE, { dailyCharacters: limit });
    const all = (text: string) =>
      text.split(sentence('audit.said.setting', { who: 'nobody' })).length - 1;
    expect(all(await shown())).toBe(10);
    expect(all((await harness().press('blocks.older')).text)).toBe(2);
    // The file leaves the list as it is.
    const beside = await harness().press('audit.export');
    expect(all(beside.text)).toBe(2);
    expect(all((await harness().press('audit.newer')).text)).toBe(10);
  });

  it.each([
    ['far from each other', 60_000],
    ['at the same moment', 1],
  ])('shows each act once and whole, over all pages: %s', async (__, everyMs) => {
    const { store } = harness();
    const third: Channel = { space: SPACE, id: '400' };
    const ids = [HERE.id, BESIDE.id, third.id];
    const entries = Array.from({ length: 34 }, (_, act) =>
      ids.map((id, place) => ({
        platform: SPACE.platform,
        space_id: SPACE.id,
        id: `${act} ${id}`,
        changed_by: `ada ${act}`,
        changed_by_name: `Ada ${act}`,
        what: 'watch',
        channel_id: id,
        about_hash: null,
        before: null,
        after: JSON.stringify({ linkedWith: ids.filter((each) => each !== id) }),
        at_ms: 1_000_000 + act * everyMs + place,
      })),
    ).flat();
    await store.write((db) => db.insertInto('audit_entry').values(entries).execute());
    const names = (text: string) =>
      [...text.matchAll(/ · Ada (\d+)/g)].map(([, act]) => Number(act));
    const pages = [names(await shown())];
    while (pages.length < 4) pages.push(names((await harness().press('blocks.older')).text));
    expect(pages.map(({ length }) => length)).toEqual([10, 10, 10, 4]);
    expect(new Set(pages.flat()).size).toBe(34);
    expect(labelled(harness().shown.at(-1), 'blocks.older')).toBeUndefined();
    for (const page of pages.toReversed().slice(1))
      expect(names((await harness().press('audit.newer')).text)).toEqual(page);
    expect(labelled(harness().shown.at(-1), 'audit.newer')).toBeUndefined();
  });

  it('says once what one act did to several channels', async () => {
    const watches = await openWatches();
    const third: Channel = { space: SPACE, id: '400' };
    await actAs(ADA, () => watches.set(mirrorOf([HERE, 'en'], [BESIDE, 'ja'], [third, 'fr'])));
    expect((await shown()).match(/ · Ada/g)).toHaveLength(1);
    await actAs(ADA, () => watches.remove([third]));
    const acts = (await shown()).match(/ · Ada/g);
    expect(acts).toHaveLength(2);
  });

  it('keeps what one act set for each of several channels, and tells nothing of those that are not seen', async () => {
    const watches = await openWatches();
    const third: Channel = { space: SPACE, id: '400' };
    await actAs(ADA, () => watches.set(mirrorOf([HERE, 'en'], [BESIDE, 'ja'], [third, 'fr'])));
    const languages = (language: string): string =>
      sentence('audit.languages', { languages: language });
    const all = await shown();
    for (const [id, language] of [
      [BESIDE.id, 'Japanese'],
      [third.id, 'French'],
    ] as const)
      expect(all).toContain(`<#${id}>: ${languages(language)}`);
    harness().script.access = { [third.id]: 'none' };
    const some = await shown();
    expect(some).toContain(languages('Japanese'));
    expect(some).not.toContain(languages('French'));
    const { files } = await harness().press('audit.export');
    expect(Buffer.from(files?.[0]?.bytes ?? []).toString()).not.toContain(third.id);
  });

  it.each<[string, (rooms: RoomChoices) => Partial<SpaceChoices>]>([
    ['quiet channels', () => ({ quietChannels: ['400'] })],
    ['channels that may be linked', () => ({ links: { ...OPEN_LINKS, channels: ['400'] } })],
    ['rooms that are joined', (rooms) => ({ rooms: { ...rooms, joins: ['400'] } })],
    ['channels read aloud', (rooms) => ({ rooms: { ...rooms, readAloud: ['400'] } })],
    ["the moderators' channel", () => ({ moderators: { channel: '400', locale: 'en' } })],
  ])('names among %s none that is not seen', async (_, choicesWith) => {
    const spaces = createSpaceSettings(harness().store);
    const { rooms } = await spaces.of(SPACE);
    await spaces.change(SPACE, choicesWith(rooms));
    expect(await shown()).toContain('<#400>');
    expect(await exported()).toContain('400');
    harness().script.access = { '400': 'none' };
    expect(await shown()).not.toContain('<#400>');
    expect(await exported()).not.toContain('400');
  });

  it('names a person whose copies were stopped also after they are shown again', async () => {
    const { blocks } = harness().services;
    await blocks.add(SPACE, { platform: 'other', id: 'eve' }, { name: 'Eve', isBan: false });
    for (const { key } of await blocks.list(SPACE)) await blocks.remove(SPACE, key);
    const text = await shown();
    for (const as of ['blocked', 'unblocked'] as const)
      expect(text).toContain(sentence(`audit.said.${as}`, { who: 'nobody', person: 'Eve' }));
  });

  it('shows no id of a person who was banned and whose name is not known', async () => {
    const { blocks } = harness().services;
    await blocks.add(
      SPACE,
      { platform: 'test', id: '1576948631' },
      { name: undefined, isBan: true },
    );
    const person = sentence('audit.a-person');
    expect(await shown()).toContain(sentence('audit.said.banned', { person }));
    expect(`${await shown()}${await exported()}`).not.toContain('1576948631');
  });

  it('says what a value of a channel is of', async () => {
    const watches = await openWatches();
    await watches.set([watchOf(HERE, { mode: 'reply', languages: ['fr'] })]);
    const text = await shown();
    expect(text).toContain(sentence('audit.mode', { mode: sentence('autotranslate.modes.reply') }));
    expect(text).toContain(sentence('audit.languages', { languages: 'French' }));
  });

  it('says what differs where that is a channel or a person alone', async () => {
    const spaces = createSpaceSettings(harness().store);
    const set = async (id: string): Promise<void> => {
      await spaces.change(SPACE, { moderators: { channel: id, locale: 'en' } });
      const rules = { people: { keep: false, of: [id] } };
      await spaces.change(SPACE, { rules });
    };
    await set('100');
    await set('200');
    const text = await shown();
    expect(text).toMatch(/<#100> → <#200>/);
    expect(text).toMatch(/<@100> → .*<@200>/);
  });

  it('says of what is turned off no more than that', async () => {
    const watches = await openWatches();
    await watches.set([watchOf(HERE)]);
    await watches.remove([HERE]);
    expect(await shown()).not.toContain('→ –');
  });
});
