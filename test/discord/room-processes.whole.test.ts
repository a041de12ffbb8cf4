import { expect, test } from 'vitest';
import { realClock } from '../../src/async/clock.ts';
import { createOpenRooms } from '../../src/store/open-rooms.ts';
import type { FakeGuild } from '../fakes/discord/index.ts';
import { createDaveGroup } from '../fakes/discord/voice/dave/group.ts';
import { createDavePerson } from '../fakes/discord/voice/dave/person.ts';
import { numberedSpeech, wordsHeard, wordsOf } from '../fakes/numbered-speech.ts';
import { sentenceLike } from '../fakes/sentences.ts';
import { counts, openProcesses } from './processes.ts';
import { textsIn } from './shown.ts';

const WORDS = 6;

/** Several processes, and voice channels whose captions one of them posts. */
const open = async (shards: number) => {
  const groups = new Map<string, ReturnType<typeof createDaveGroup>>();
  const dave = (channelId: string) => {
    const group = createDaveGroup({ channelId });
    groups.set(channelId, group);
    return { group, person: (userId: string) => createDavePerson(group, userId) };
  };
  const all = await openProcesses({ shards, maxConcurrency: 8, voice: { dave } });
  all.speech.listen = (audio) => ({ text: wordsHeard(audio).join(' '), language: 'en' });
  const caption = async (guild: FakeGuild) => {
    const ann = all.discord.user({ name: 'Ann' });
    guild.join(ann);
    const lounge = guild.channel({ type: 'voice', name: 'lounge' });
    const person = lounge.join(ann);
    // Nobody is heard before a spoken notice has ended.
    const panel = await all.discord
      .command(guild.owner, { channel: lounge, name: 'rooms' })
      .answer();
    for (const press of ['rooms page:heard', 'rooms spoken:off']) {
      const { edits } = panel;
      await all.discord.press(guild.owner, panel, press).until(() => panel.edits > edits);
    }
    await all.discord.command(ann, { channel: lounge, name: 'captions start' }).answer();
    const lines = (part: string | RegExp): number =>
      textsIn(lounge).filter((text) => text.search(part) >= 0).length;
    /** Says something; resolves once it is a line. */
    const says = async (utterance: number): Promise<void> => {
      // Who has no keys yet sends nothing.
      await groups.get(lounge.id)!.whenSettled();
      await person.speak(numberedSpeech(0, utterance, WORDS));
      await all.discord.until(() => lines(wordsOf(0, utterance, WORDS).at(-1)!) > 0);
    };
    const isBack = (): boolean =>
      lines(sentenceLike('room.restarted')) > 0 &&
      all.discord.voice.connections.some(
        ({ channelId, ready }) => channelId === lounge.id && ready,
      );
    return { lounge, lines, says, isBack };
  };
  return { all, caption };
};

test('captions go on while the number of shards changes, whichever process has their server then', async () => {
  const { all, caption } = await open(1);
  const towns = all.towns(2);
  await all.open({ clock: realClock });
  await expect.poll(() => counts(all.owners(1))).toEqual([1]);
  const rooms = await Promise.all(towns.map(([guild]) => caption(guild)));
  await Promise.all(rooms.map(({ says }) => says(1)));
  await all.open({ clock: realClock, shards: 2 });
  await expect.poll(() => [counts(all.owners(2)), all.owners(1)]).toEqual([[1, 1], [[]]]);
  await all.discord.until(() => rooms.every(({ isBack }) => isBack()));
  await Promise.all(rooms.map(({ says }) => says(2)));
  for (const { lines } of rooms) {
    expect([1, 2].map((said) => lines(wordsOf(0, said, WORDS).at(-1)!))).toEqual([1, 1]);
    expect(lines(sentenceLike('room.restarted'))).toBe(1);
  }
});

test('the room of a process that stood still is another one’s, and the first shows and removes nothing of it', async () => {
  const { all, caption } = await open(2);
  const towns = all.towns(2);
  const [one, other] = [
    await all.open({ clock: realClock }),
    await all.open({ clock: realClock }),
  ] as const;
  await expect.poll(() => counts(all.owners(2))).toEqual([1, 1]);
  const id = all.owners(2).findIndex(([name]) => name === one.name);
  const [guild] = towns[id]!;
  const { lounge, says, isBack, lines } = await caption(guild);
  await says(1);
  // It takes no shard back.
  one.adapter.drain?.();
  const before = all.discord.requests.length;
  await one.freeze(`2:${id}`);
  await all.discord.until(isBack);
  await says(2);
  await expect.poll(() => all.owners(2)[id]).toEqual([other.name]);
  await says(3);
  const shown = all.discord.requests
    .slice(before)
    .filter(({ client, route }) => client === one.name && !route.startsWith('GET '));
  expect(shown).toEqual([]);
  expect([1, 2, 3].map((said) => lines(wordsOf(0, said, WORDS).at(-1)!))).toEqual([1, 1, 1]);
  expect(lines(sentenceLike('room.restarted'))).toBe(1);
  const { connections } = all.discord.voice;
  expect(connections.map(({ channelId, ready }) => [channelId, ready])).toEqual([
    [lounge.id, true],
  ]);
  const row = await createOpenRooms(other.store).of({ platform: 'discord', id: guild.id });
  expect(row?.room.captions).toBeDefined();
});
