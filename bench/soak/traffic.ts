import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FakeChannel, FakeMessage } from '../../test/fakes/discord/index.ts';
import { numberedSpeech } from '../../test/fakes/numbered-speech.ts';
import type { FakeMessage as SlackMessage } from '../../test/fakes/slack/index.ts';
import type { Places } from './places.ts';

/** Longest wait for the answer to a command. */
const PATIENCE_MS = 60_000;
const WORDS = 8;
/** Every so many messages one is changed or deleted, and the number of messages that it is back. */
const EDIT_EVERY = 10;
const DELETE_EVERY = 25;
const BACK = 3;
const SPOKEN = readFileSync(join(import.meta.dirname, '../../test/fixtures/audio/speech.opus'));
const SPOKEN_SECONDS = 3;

/** What people did so far, and what of it was answered. */
export interface Traffic {
  /** Messages of watched channels, those with a translation of their own in reply, and of linked ones. */
  readonly said: readonly FakeMessage[];
  readonly saidInLinked: readonly FakeMessage[];
  readonly saidOnSlack: readonly SlackMessage[];
  readonly counts: Readonly<Record<string, number>>;
  /** Resolves when everybody is silent. */
  stop(): Promise<void>;
}

/** A browser without a page: it keeps its cookies, and reads on. */
const openVisitor = (page: string, signal: AbortSignal) => {
  const cookies = new Map<string, string>();
  const request = async (path: string, line?: object): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, 'accept-language': 'en', 'content-type': 'application/json' };
    const sent = line && { method: 'POST', body: JSON.stringify(line) };
    const reply = await fetch(new URL(path, page), { ...sent, headers, signal });
    for (const set of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    return reply;
  };
  const post = async (path: string, line: object): Promise<boolean> => {
    const reply = await request(path, line);
    await reply.arrayBuffer();
    return reply.ok;
  };
  const listen = async (): Promise<void> => {
    while (!signal.aborted)
      try {
        const { body } = await request('/events');
        for await (const _ of body ?? []);
      } catch {
        await delay(1_000);
      }
  };
  return { post, listen };
};

export const startTraffic = (places: Places): Traffic => {
  const { programs, channels, linked, lounge, people, slack, pages } = places;
  const { discord } = programs;
  const stopped = new AbortController();
  const { signal } = stopped;
  const counts: Record<string, number> = {};
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const said: FakeMessage[] = [];
  const saidInLinked: FakeMessage[] = [];
  const saidOnSlack: SlackMessage[] = [];
  let number = 0;
  const words = (): string => {
    number += 1;
    return `We shall meet at the old station tomorrow, as I wrote in line ${number}`;
  };
  const someone = <One>(all: readonly One[]): One => all[number % all.length]!;

  const write = (all: readonly FakeChannel[], lines: FakeMessage[]): void => {
    const text = words();
    lines.push(someone(all).say(someone(people), text));
    const earlier = lines.at(-1 - BACK);
    if (!earlier || earlier.deleted) return;
    if (lines.length % EDIT_EVERY === 0) earlier.edit(`${text}, in other words`);
    else if (lines.length % DELETE_EVERY === 0) earlier.delete();
  };
  const use = async (name: string, options: Record<string, string>): Promise<void> => {
    words();
    const used = discord.command(someone(people), { channel: someone(channels), name, options });
    const isAnswered = await used
      .until(({ shown }) => (shown?.content ?? '') !== '', PATIENCE_MS)
      .then(
        () => true,
        () => false,
      );
    count(`/${name} ${isAnswered ? 'answered' : 'without an answer'}`);
  };

  /** Does something again and again, also while the last time has not ended. */
  const running = new Set<Promise<void>>();
  const every = async (ms: number, act: () => Promise<void> | void): Promise<void> => {
    while (!signal.aborted) {
      const acting = (async () => act())().catch(() => count('not even begun'));
      running.add(acting);
      void acting.then(() => running.delete(acting));
      await delay(ms * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
    }
  };

  const visitors = pages.map((page) => openVisitor(page, signal));
  const webLine = async (): Promise<void> => {
    const visitor = someone(visitors);
    count(
      (await visitor.post('/api/lines', { channel: 'lounge', text: words() }).catch(() => false))
        ? 'lines on the page'
        : 'lines that the page refused',
    );
  };
  const speakers = people.slice(0, 2).map((user) => lounge.channel.join(user));
  const speak = async (): Promise<void> => {
    for (const [at, person] of speakers.entries())
      await person.speak(numberedSpeech(at, (number += 1) % 65_536, WORDS));
    count('utterances');
  };
  /** Captions are begun again where they have ended. */
  const caption = async (): Promise<void> => {
    if (lounge.channel.present.some(({ id }) => id === discord.botUser.id)) return;
    discord.command(people[0]!, {
      channel: lounge.channel,
      name: 'captions start',
      options: { languages: 'es' },
    });
    count('times captions were started');
  };

  const acting = Promise.all([
    every(200, () => write(channels, said)),
    every(1_000, () => write(linked, saidInLinked)),
    every(500, () => {
      const text = words();
      saidOnSlack.push(someone(slack.channels).say(someone(slack.people), text));
    }),
    every(3_000, () => use('translate', { text: words(), to: 'es' })),
    every(5_000, () => use('ask', { question: words() })),
    every(4_000, () => {
      slack.slack.command(
        someone(slack.people),
        someone(slack.channels),
        '/dragoman',
        `translate ${words()} to:es`,
      );
      count('commands on Slack');
    }),
    every(10_000, () => {
      const voice = { bytes: SPOKEN, durationSecs: SPOKEN_SECONDS };
      said.push(someone(channels).say(someone(people), '', { voice }));
      count('voice messages');
    }),
    every(2_000, webLine),
    every(6_000, speak),
    every(15_000, caption),
    ...visitors.map(async ({ post, listen }) => {
      await post('/api/me', { language: 'es' }).catch(() => false);
      await listen();
    }),
  ]);

  return {
    said,
    saidInLinked,
    saidOnSlack,
    counts,
    stop: async () => {
      stopped.abort();
      await acting;
      await Promise.all(running);
    },
  };
};
