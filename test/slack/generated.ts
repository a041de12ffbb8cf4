import { setTimeout as delay } from 'node:timers/promises';
import * as fc from 'fast-check';
import {
  anyComposedMessage,
  carelessTranslation,
  numbered,
  type Kept,
} from '../fakes/slack-messages.ts';
import {
  missingIn,
  shownOnDiscord,
  shownOnSlack,
  type Shown,
} from '../fakes/slack-messages-shown.ts';
import { openGroup } from './group.ts';

export interface GeneratedOptions {
  readonly count: number;
  readonly seed: number;
  /** Called after each look at what stands. */
  readonly onLook?: (said: number, mirrored: number) => void;
  /** Longest time in which nothing more is mirrored. */
  readonly patienceMs?: number;
}

export interface GeneratedFault {
  readonly where: 'Slack' | 'Discord';
  /** What is not there; undefined where the whole message is not. */
  readonly missing: readonly Kept[] | undefined;
  readonly source: string;
  readonly shown: string;
}

const BEGIN = /https:\/\/example\.org\/m\/\d+\//;
/** The small line under a mirror on Discord. */
const FOOTER = /^-# .*$/m;
const BEGINS = new RegExp(BEGIN, 'g');

/** What stands from the beginning of each message to that of the next, by their beginnings. */
const byBeginning = <Part>(
  all: readonly Part[],
  written: (part: Part) => string,
): ReadonlyMap<string, readonly Part[]> => {
  const found = new Map<string, Part[]>();
  let last: string | undefined;
  for (const part of all) {
    last = BEGIN.exec(written(part))?.[0] ?? last;
    if (last !== undefined) found.set(last, [...(found.get(last) ?? []), part]);
  }
  return found;
};

/** Counts the messages whose beginnings stand somewhere; what was seen is not read again. */
const watchFor = (written: (from: number) => readonly string[]): (() => number) => {
  const found = new Set<string>();
  let from = 0;
  return () => {
    const some = written(from);
    for (const each of some) for (const [begin] of each.matchAll(BEGINS)) found.add(begin);
    from += some.length;
    return found.size;
  };
};

/** Messages that wait to be mirrored at the same time, and the time between two looks. */
const AHEAD = 150;
const LOOK_MS = 100;

/**
 * Says messages of every kind in a channel that is linked with one of another workspace and one of
 * Discord; resolves with what is not to be seen in these, and who was notified.
 */
export const sayGenerated = async ({
  count,
  seed,
  onLook = () => undefined,
  patienceMs = 30_000,
}: GeneratedOptions): Promise<{
  readonly faults: readonly GeneratedFault[];
  readonly pings: readonly unknown[];
  readonly kept: number;
}> => {
  await using group = await openGroup();
  const { bot, english, spanish, japanese, discord } = group;
  bot.speech.translate = carelessTranslation;
  const { workspace } = english;
  const people = ['Ann', 'Bob Smith', 'Zoë', '日本 太郎', 'x_y_z', '*Star*'].map((name, index) => {
    const { id } = workspace.user({ name: `person-${index}`, displayName: name });
    return { id, name };
  });
  const channels = ['general', 'r_and_d', '雑談'].map((name) => ({
    id: workspace.channel({ name }).id,
    name,
  }));
  const groups = ['engineers', 'night_shift'].map((name) => ({
    id: workspace.group(name),
    name,
  }));
  const messages = fc
    .sample(anyComposedMessage({ people, channels, groups }), { numRuns: count, seed })
    .map(numbered);

  const contentsFrom = (from: number): readonly string[] =>
    japanese.messages.slice(from).map(({ content }) => content);
  const looks = [
    watchFor((from) =>
      spanish.channel.state.messages.slice(from).map(({ blocks }) => JSON.stringify(blocks ?? [])),
    ),
    watchFor(contentsFrom),
  ];
  const speakers = [english.ann, english.bob, english.admin];
  let [said, done, idleMs] = [0, 0, 0];
  while (done < count && idleMs < patienceMs) {
    while (said < count && said - done < AHEAD) {
      const { elements } = messages[said] ?? { elements: [] };
      english.channel.say(speakers[said % speakers.length] ?? english.ann, { elements });
      said += 1;
    }
    await delay(LOOK_MS);
    const now = Math.min(...looks.map((look) => look()));
    idleMs = now > done ? 0 : idleMs + LOOK_MS;
    done = now;
    onLook(said, done);
  }

  const onSlack = byBeginning(
    spanish.channel.state.messages.map(({ blocks }) => blocks ?? []),
    (blocks) => JSON.stringify(blocks),
  );
  const onDiscord = byBeginning(contentsFrom(0).join('\n').split(FOOTER), String);
  const faultOf = (
    where: GeneratedFault['where'],
    { elements, kept }: (typeof messages)[number],
    posted: readonly unknown[],
    shown: Shown,
  ): readonly GeneratedFault[] => {
    const missing = posted.length > 0 ? missingIn(shown, kept, posted.length > 1) : undefined;
    if (missing?.length === 0) return [];
    return [{ where, missing, source: JSON.stringify(elements), shown: JSON.stringify(posted) }];
  };
  const faults = messages.flatMap((message) => {
    const posts = onSlack.get(message.url) ?? [];
    const own = onDiscord.get(message.url) ?? [];
    return [
      ...faultOf('Slack', message, posts, shownOnSlack(posts.flat())),
      ...faultOf('Discord', message, own, shownOnDiscord(own.join('\n'))),
    ];
  });
  return {
    faults,
    pings: [...bot.slack.pings, ...discord.pings],
    kept: messages.reduce((sum, { kept }) => sum + kept.length, 0),
  };
};
