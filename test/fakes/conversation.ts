import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bot } from './bot.ts';
import type { FakeChannel, FakeMessage } from './discord/index.ts';
import { removeOnNotices } from './on-notices.ts';
import { createMirrorsShown, type ShownMirror } from './mirrors-shown.ts';

/**
 * People who talk in five watched channels: one that is translated in replies, one in a thread, and
 * three that are linked. They also answer each other, change what they said and delete it.
 */
export interface Conversation {
  /** Says one line in one of the channels, each in its turn. */
  say(): void;
  /** Says lines until `stopped` or until there are `most`, one each `everyMs`. */
  talk(everyMs: number, stopped: AbortSignal, most?: number): Promise<void>;
  /** Resolves when nothing is wrong any more, or when `timeoutMs` have passed. */
  settled(timeoutMs: number): Promise<void>;
  /** What is wrong: lines without a translation, with several, with an old one, or out of order. */
  faults(): readonly ConversationFault[];
  /** The places of translations, and the bot's messages that stand there. */
  places(): readonly {
    readonly name: string;
    readonly kind: 'replies' | 'mirrors';
    readonly messages: readonly FakeMessage[];
  }[];
  readonly lines: number;
  /** Lines that were changed, and that were deleted, after they were said. */
  readonly changed: number;
  readonly deleted: number;
}

export interface ConversationFault {
  readonly place: string;
  readonly what: string;
  readonly count: number;
}

/** A place in which translations of some lines have to stand. */
interface Place {
  readonly name: string;
  /** The lines that are translated there. */
  readonly of: readonly FakeChannel[];
  readonly kind: 'replies' | 'mirrors';
  /** The bot's messages. */
  readonly messages: () => readonly FakeMessage[];
}

interface Line {
  readonly message: FakeMessage;
  readonly number: number;
  /** The place of its channel among all of them. */
  readonly turn: number;
  /** The session that reports it; undefined where it is missed. What is reported waits for what was missed, but not long. */
  readonly session: string | undefined;
  version: number;
}

/** Longest pause between two looks at what stands. */
const LOOK_MS = 250;
/** Every so many lines one is a reply, is changed or is deleted. */
const REPLY_EVERY = 6;
const EDIT_EVERY = 10;
const DELETE_EVERY = 25;
/** How many lines a changed, deleted or answered line is back. */
const BACK = [1, 4, 13, 29];

/** Sentences of languages that are told apart, each around what is said. */
export const SENTENCES: Readonly<Record<string, (what: string) => string>> = {
  en: (what) => `This is ${what} of what we are talking about here, all of us together, every day`,
  es: (what) => `Aquí está ${what} de lo que estamos hablando entre todos, como cada día del año`,
  de: (what) => `Das hier ist ${what} von dem, worüber wir uns alle zusammen jeden Tag unterhalten`,
};

/** The part of a line that only it has, also when it is translated. */
const wordsOf = ({ number, version }: Pick<Line, 'number' | 'version'>): string =>
  `L${number}V${version}L`;

export const startConversation = async (bot: Bot): Promise<Conversation> => {
  const guild = bot.discord.guild({ name: 'Babel' });
  const [north, south, english, spanish, german] = [
    'north',
    'south',
    'english',
    'spanish',
    'german',
  ].map((name) => guild.channel({ name })) as [
    FakeChannel,
    FakeChannel,
    FakeChannel,
    FakeChannel,
    FakeChannel,
  ];
  const at = { guild, channel: guild.channel({ name: 'moderators' }) };
  await bot.use(at, 'autotranslate reply', { languages: 'ja', channel: north });
  await bot.use(at, 'autotranslate thread', { languages: 'ja', channel: south });
  await bot.use(at, 'autotranslate mirror', {
    channels: `<#${english.id}> en, <#${spanish.id}> es, <#${german.id}> de`,
  });

  const linked = [english, spanish, german];
  await removeOnNotices(bot.discord, [north, south, ...linked]);
  const languages = ['en', 'en', 'en', 'es', 'de'];
  const channels = [north, south, ...linked];
  const people = ['Ada', 'Bob', 'Eva', 'Kim', 'Lin', 'Max', 'Zoe'].map((name) =>
    bot.discord.user({ name }),
  );
  const said: Line[] = [];
  const mirrors = createMirrorsShown();
  let changed = 0;
  let deleted = 0;

  const standingIn = ({ kind, messages }: Place): readonly ShownMirror[] =>
    messages().flatMap((message) =>
      kind === 'mirrors'
        ? mirrors.in(message)
        : [{ id: message.replyTo ?? '', text: message.content }],
    );
  const oursIn = (channel: FakeChannel) => (): readonly FakeMessage[] =>
    channel.messages.filter(
      ({ state: { author, type } }) =>
        author.id === bot.discord.botUser.id && (type === 0 || type === 19),
    );

  const places: readonly Place[] = [
    { name: 'replies', kind: 'replies', of: [north], messages: oursIn(north) },
    {
      name: 'thread',
      kind: 'mirrors',
      of: [south],
      messages: () => south.threads.flatMap((thread) => oursIn(thread)()),
    },
    ...linked.map((to): Place => ({
      name: `#${to.name}`,
      kind: 'mirrors',
      of: linked.filter((from) => from !== to),
      messages: oursIn(to),
    })),
  ];

  const contentOf = (number: number, version: number, turn: number): string =>
    (SENTENCES[languages[turn] ?? ''] ?? String)(wordsOf({ number, version }));
  /** A line that was said some lines ago and still stands. */
  const earlier = (index: number): Line | undefined => {
    const line = said.at(-1 - (BACK[index % BACK.length] ?? 1));
    return line && !line.message.deleted ? line : undefined;
  };

  const say = (): void => {
    const number = said.length + 1;
    const turn = said.length % channels.length;
    const channel = channels[turn] as FakeChannel;
    const by = people[(number * 3) % people.length] ?? guild.owner;
    const answered = number % REPLY_EVERY === 0 ? said.at(-channels.length)?.message : undefined;
    const replyTo = answered && !answered.deleted ? { replyTo: answered } : {};
    const message = channel.say(by, contentOf(number, 1, turn), replyTo);
    mirrors.note(guild.id, channel.id, message.id);
    const { id: session } = bot.discord.gateway.sessions.find((one) => one.connected) ?? {};
    said.push({ message, number, turn, session, version: 1 });

    const edited = number % EDIT_EVERY === 0 ? earlier(number / EDIT_EVERY) : undefined;
    if (edited) {
      edited.version += 1;
      changed += 1;
      edited.message.edit(contentOf(edited.number, edited.version, edited.turn));
    }
    const gone = number % DELETE_EVERY === 0 ? earlier(number / DELETE_EVERY) : undefined;
    if (gone) {
      deleted += 1;
      gone.message.delete();
    }
  };

  const faultsIn = (place: Place): ConversationFault[] => {
    const { name, of } = place;
    const expected = said.filter(
      ({ message }) => !message.deleted && of.some(({ id }) => id === message.channel.id),
    );
    const rank = new Map(expected.map((line, index) => [line.message.id, { line, index }]));
    const got = standingIn(place);
    const seen = new Map<string, string>();
    let twice = 0;
    let ghosts = 0;
    let unordered = 0;
    const last = new Map<string | undefined, number>();
    for (const { id, text } of got) {
      if (seen.has(id)) twice += 1;
      seen.set(id, text);
      const known = rank.get(id);
      if (known) {
        const { session } = known.line;
        const before = last.get(session) ?? -1;
        if (known.index < before) unordered += 1;
        last.set(session, Math.max(before, known.index));
      } else ghosts += 1;
    }
    const lost = expected.filter(({ message }) => !seen.has(message.id)).length;
    const stale = expected.filter((line) => {
      const text = seen.get(line.message.id);
      return text !== undefined && !text.includes(wordsOf(line));
    }).length;
    const counts = { lost, twice, stale, 'of deleted lines': ghosts, 'out of order': unordered };
    return Object.entries(counts).flatMap(([what, count]) =>
      count > 0 ? [{ place: name, what, count }] : [],
    );
  };

  const faults = (): readonly ConversationFault[] => places.flatMap(faultsIn);
  return {
    say,
    talk: async (everyMs, stopped, most = Infinity) => {
      const startMs = performance.now();
      for (let count = 0; count < most && !stopped.aborted; count += 1) {
        say();
        await delay(Math.max(0, startMs + (count + 1) * everyMs - performance.now()));
      }
    },
    settled: async (timeoutMs) => {
      const endMs = performance.now() + timeoutMs;
      while (performance.now() < endMs && faults().length > 0) await delay(LOOK_MS);
    },
    faults,
    places: () => places.map(({ name, kind, messages }) => ({ name, kind, messages: messages() })),
    get lines() {
      return said.length;
    },
    get changed() {
      return changed;
    },
    get deleted() {
      return deleted;
    },
  };
};

/** How many rows of the inbox ended in which way. */
export const outcomesIn = (databaseFile: string): Record<string, number> => {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  const rows = database.prepare('SELECT state, count(*) AS count FROM inbox GROUP BY state').all();
  database.close();
  return Object.fromEntries(rows.map(({ state, count }) => [String(state), Number(count)]));
};
