/**
 * Runs the whole program between the tests' Discord and the tests' speech service, and records what its
 * channels show, and when. What people say and write, and its translations, are those of words.ts;
 * each copy, caption and edit is the program's.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createBot } from '../../test/fakes/bot.ts';
import {
  VOICE_CERTIFICATE_PATH,
  type FakeChannel,
  type FakeMessage,
  type FakeUser,
} from '../../test/fakes/discord/index.ts';
import { createDaveGroup } from '../../test/fakes/discord/voice/dave/group.ts';
import { createDavePerson } from '../../test/fakes/discord/voice/dave/person.ts';
import { numberedSpeech, wordsHeard } from '../../test/fakes/numbered-speech.ts';
import { CHANNELS, INVITATION, LATER, QUESTION, SPOKEN, translate } from './words.ts';

/** A message as it stands in a channel from a moment on. */
export interface Shown {
  readonly atMs: number;
  readonly channel: string;
  readonly id: string;
  readonly author: string;
  /** True for the bot and for copies, which are posted through a webhook. */
  readonly isApp: boolean;
  readonly text: string;
  readonly edits: number;
  readonly buttons: readonly string[];
  /** The message that it replies to. */
  readonly replyTo: string | undefined;
}

export interface Speaking {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What happened in some channels; times are since its beginning. */
export interface Scene {
  readonly shown: readonly Shown[];
  readonly speaking: readonly Speaking[];
  readonly lengthMs: number;
}

export interface Recording {
  readonly voice: Scene;
  readonly text: Scene;
}

/** Time that the speech service takes to answer. */
const SERVICE_MS = 60;
/** Pieces of a spoken word, of 200 ms each: people speak about 150 words a minute. */
const PIECES = 2;

/** The words of an utterance of which all pieces were heard. */
const hear = (audio: Buffer): { text: string; language: string } => {
  const pieces = wordsHeard(audio).map((piece) => /\d+x(\d+)$/.exec(piece));
  const utterance = /^\D(\d+)/.exec(wordsHeard(audio)[0] ?? '')?.[1] ?? '0';
  const { text, language } = SPOKEN[Number(utterance)]!;
  const last = pieces.filter((piece) => Number(piece?.[1]) % PIECES === PIECES - 1);
  const words = text.split(' ');
  return {
    text: last.map((piece) => words[Math.floor(Number(piece?.[1]) / PIECES)]).join(' '),
    language,
  };
};

const buttonsOf = ({ components }: FakeMessage): string[] =>
  components.flatMap((row) =>
    (row['components'] as { label?: string }[]).flatMap(({ label }) => label ?? []),
  );

export const recordDemo = async (): Promise<Recording> => {
  const groups = new Map<string, ReturnType<typeof createDaveGroup>>();
  await using bot = await createBot({
    voice: {
      dave: (channelId) => {
        const group = createDaveGroup({ channelId });
        groups.set(channelId, group);
        return { group, person: (userId) => createDavePerson(group, userId) };
      },
    },
  });
  const { discord, speech } = bot;
  speech.latencyMs = SERVICE_MS;
  speech.listen = hear;
  speech.translate = translate;
  await bot.start({ NODE_EXTRA_CA_CERTS: VOICE_CERTIFICATE_PATH });

  const guild = discord.guild({ name: 'Dragon Hunters' });
  const join = (name: string) => {
    const user = discord.user({ name });
    guild.join(user);
    return user;
  };
  const [mia, luis] = [join('Mia'), join('Luis')];
  const office = guild.channel({ name: 'office' });
  const lounge = guild.channel({ type: 'voice', name: CHANNELS.voice });
  const english = guild.channel({ name: CHANNELS.english });
  const spanish = guild.channel({ name: CHANNELS.spanish });
  const use = (user: FakeUser, name: string, options: Record<string, string | FakeChannel> = {}) =>
    discord.command(user, { channel: office, name, options }).answer();

  /** Records what some channels show while `play` runs. */
  const record = async (
    channels: readonly FakeChannel[],
    play: (speaking: Speaking[], now: () => number) => Promise<void>,
  ): Promise<Scene> => {
    const startMs = performance.now();
    const now = (): number => Math.round(performance.now() - startMs);
    const shown: Shown[] = [];
    const speaking: Speaking[] = [];
    const seen = new Map<string, string>();
    let isOver = false;
    const look = (): boolean => {
      for (const channel of channels)
        for (const message of channel.messages) {
          const { id, author, content: text, edits, replyTo } = message;
          const isApp = message.webhookId !== undefined || author === 'Dragoman';
          const what = { channel: channel.name, id, author, isApp, text, edits, replyTo };
          const key = JSON.stringify([what, message.components]);
          if (seen.get(id) === key || text === '') continue;
          seen.set(id, key);
          shown.push({ ...what, atMs: now(), buttons: buttonsOf(message) });
        }
      return isOver;
    };
    const watching = discord.until(look, 120_000);
    await play(speaking, now);
    isOver = true;
    const lengthMs = now();
    // Wakes the watch for the last time.
    office.say(mia, 'thanks');
    await watching;
    return { shown, speaking, lengthMs };
  };

  // The notice is only posted, so that nobody waits until it has been read out.
  const panel = await use(guild.owner, 'rooms');
  for (const press of ['rooms page:heard', 'rooms spoken:off']) {
    const { edits } = panel;
    await discord.press(guild.owner, panel, press).until(() => panel.edits > edits);
  }
  const voices = { Mia: lounge.join(mia), Luis: lounge.join(luis) };
  const voice = await record([lounge], async (speaking, now) => {
    await use(mia, 'captions start', { languages: 'en, es', in: lounge });
    await lounge.until((all) => all.length > 0);
    await groups.get(lounge.id)!.whenSettled();
    await delay(700);
    for (const [utterance, { name, text }] of SPOKEN.entries()) {
      const pieces = text.split(' ').length * PIECES;
      const fromMs = now();
      await voices[name as keyof typeof voices].speak(numberedSpeech(utterance, utterance, pieces));
      speaking.push({ name, fromMs, toMs: now() });
      const translation = translate(text);
      await lounge.until((all) => all.at(-1)!.content.includes(translation));
      await delay(1_100);
    }
    await delay(600);
  });
  await use(guild.owner, 'leave');

  const channels = `<#${english.id}> en, <#${spanish.id}> es`;
  await use(guild.owner, 'autotranslate mirror', { channels });
  const text = await record([english, spanish], async () => {
    await delay(400);
    const invitation = english.say(mia, INVITATION);
    await spanish.until((all) => all.length === 1);
    await delay(1_600);
    spanish.say(luis, QUESTION, { replyTo: spanish.messages[0]! });
    await english.until((all) => all.length === 2);
    await delay(1_600);
    invitation.edit(LATER);
    await spanish.until((all) => all[0]!.content.includes('21:00'));
    await delay(2_300);
  });
  return { voice, text };
};
