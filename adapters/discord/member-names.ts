import { RESTJSONErrorCodes, Routes, type APIGuildMember, type APIUser } from 'discord.js';
import type { Channel } from '../../src/model/place.ts';
import type { Api } from './api.ts';
import { isRefusal } from './errors.ts';
import { guildIdOf, PLATFORM } from './ids.ts';
import type { MembersTogether } from './members-together.ts';
import { nameOf, type RawMessage } from './inbound/message-reader.ts';
import { type Clock, MINUTE_MS } from '../../src/async/clock.ts';
import { createCache, createLru } from '../../src/async/lru.ts';
import { NAMED_MS, within } from '../../src/autotranslate/watched-platforms.ts';
import { withNames } from '../../src/rich-text/reduce.ts';
import type { Mention, RichText } from '../../src/rich-text/rich-text.ts';
import { asText, map } from '../../src/rich-text/walk.ts';

type Shown = RawMessage['member'];
/** A mentioned user; the gateway adds the server member. */
type Mentioned = APIUser & { readonly member?: Shown };

const MOST_NAMES = 5_000;
/** Messages whose authors are asked for at once, where they can't be together. */
const AT_ONCE = 10;
/** People of one text of whom it is found out whether they left: others may have typed it. */
const MOST_STRANGERS = 25;
/**
 * Time after which a member is requested anew: the gateway tells of other names only in the process that
 * has the server, and there only when their members write.
 */
const LIFE_MS = 10 * MINUTE_MS;
/** Refusals that are remembered as well. */
export const NO_MEMBER = [RESTJSONErrorCodes.UnknownMember, RESTJSONErrorCodes.UnknownUser];

const isPerson = ({ platform, target }: Mention): boolean =>
  platform === PLATFORM && target === 'member';

export type MemberNames = ReturnType<typeof createMemberNames>;

interface Remembered<Value> {
  readonly value: Value;
  readonly untilMs: number;
}

/** Creates the memory of members' names: the gateway sends them with each message, REST never does. */
export const createMemberNames = (
  api: Api,
  { nowMs }: Pick<Clock, 'nowMs'>,
  together: MembersTogether = async () => undefined,
) => {
  const known = createLru<string, Remembered<Promise<Shown>>>(MOST_NAMES);
  const names = createLru<string, Remembered<string>>(MOST_NAMES);
  const remember = <Value>(value: Value): Remembered<Value> => ({
    value,
    untilMs: nowMs() + LIFE_MS,
  });
  const isFresh = ({ untilMs }: Remembered<unknown>): boolean => nowMs() < untilMs;

  /** Requests a member; undefined when they have left or the request failed. */
  const ask = async (guildId: string, userId: string): Promise<APIGuildMember | undefined> => {
    try {
      return await api.send<APIGuildMember>('GET', Routes.guildMember(guildId, userId));
    } catch (thrown) {
      if (!isRefusal(thrown, ...NO_MEMBER)) known.delete(`${guildId} ${userId}`);
      return undefined;
    }
  };

  const noteName = (guildId: string, user: APIUser, member: Shown): void => {
    const key = `${guildId} ${user.id}`;
    if (member || names.get(key) === undefined)
      names.set(key, remember(nameOf(user, member?.nick)));
  };
  const noteNames = (
    guildId: string,
    { author, member, mentions, webhook_id }: RawMessage,
  ): void => {
    if (webhook_id === undefined) noteName(guildId, author, member);
    for (const user of mentions as readonly Mentioned[]) noteName(guildId, user, user.member);
  };

  const knownOf = (guildId: string, userId: string): Remembered<Promise<Shown>> | undefined => {
    const cached = known.get(`${guildId} ${userId}`);
    return cached && isFresh(cached) ? cached : undefined;
  };

  const memberOf = async (guildId: string, userId: string): Promise<Shown> => {
    const shown = knownOf(guildId, userId) ?? remember(ask(guildId, userId));
    known.set(`${guildId} ${userId}`, shown);
    return shown.value;
  };

  /** The names of people who are not in a server; undefined for who is, and where it cannot be read. */
  const strangers = createCache(
    async ([guildId, userId]: readonly [string, string]): Promise<string | undefined> => {
      // Refusals are remembered, faults are not.
      if ((await memberOf(guildId, userId)) || !knownOf(guildId, userId)) return undefined;
      const cached = names.get(`${guildId} ${userId}`)?.value;
      if (cached !== undefined) return cached;
      const asking = api.send<APIUser>('GET', Routes.user(userId));
      return asking.then((user) => nameOf(user)).catch(() => undefined);
    },
    { keyOf: (pair) => pair.join(' '), most: MOST_NAMES, lifeMs: LIFE_MS, now: nowMs },
  );

  /** Completes a message from REST with its author's name on the server. */
  const complete = async (raw: RawMessage, channel: Channel): Promise<RawMessage> => {
    const guildId = guildIdOf(channel);
    if (guildId === undefined) return raw;
    if (raw.webhook_id !== undefined) {
      noteNames(guildId, raw);
      return raw;
    }
    const { id } = raw.author;
    const member = await memberOf(guildId, id);
    // All others go by their global name.
    const completed = { ...raw, guild_id: guildId, ...(member ? { member } : {}) };
    noteNames(guildId, completed);
    return completed;
  };

  /** Asks for the authors of messages together, where several are not known. */
  const know = async (raws: readonly RawMessage[], channel: Channel): Promise<void> => {
    const guildId = guildIdOf(channel);
    if (guildId === undefined) return;
    const people = raws.filter(({ webhook_id: webhook }) => webhook === undefined);
    const ids = [...new Set(people.map(({ author }) => author.id))];
    const unknown = ids.filter((id) => !knownOf(guildId, id));
    const found = unknown.length > 1 ? await together(guildId, unknown) : undefined;
    if (!found) return;
    for (const id of unknown)
      known.set(`${guildId} ${id}`, remember(Promise.resolve(found.get(id))));
  };

  return {
    /** Looks up a member's name; what is known where they have left or the request failed. */
    lookUp: async (guildId: string, userId: string): Promise<string | undefined> => {
      const cached = names.get(`${guildId} ${userId}`);
      if (cached && isFresh(cached)) return cached.value;
      const found = await ask(guildId, userId);
      if (!found?.user) return cached?.value;
      noteName(guildId, found.user, found);
      return names.get(`${guildId} ${userId}`)?.value;
    },
    /** Writes the names of people who left a server, as Discord's app does not know whom a mention of them means. */
    withStrangers: async (readers: Channel, tree: RichText): Promise<RichText> => {
      const guildId = guildIdOf(readers);
      if (guildId === undefined) return tree;
      const nameFor = async ({ id }: Mention): Promise<string | undefined> =>
        within(NAMED_MS, strangers.of([guildId, id]), undefined);
      const asked = new Set<string>();
      const named = await withNames(tree, PLATFORM, nameFor, (node) => {
        if (isPerson(node) && asked.size < MOST_STRANGERS) asked.add(node.id);
        return isPerson(node) && asked.has(node.id);
      });
      return map(named, (node) =>
        node.kind === 'mention' && asked.has(node.id) && node.name !== undefined
          ? asText(node)
          : node,
      );
    },
    /** The last known name of an author or a mentioned member. */
    nameOf: (guildId: string, userId: string): string | undefined =>
      names.get(`${guildId} ${userId}`)?.value,
    /** Records the names in a message from the gateway. */
    note: (raw: RawMessage): void => {
      const { guild_id: guildId, author, member } = raw;
      if (!guildId) return;
      noteNames(guildId, raw);
      if (!member) return;
      const { nick, avatar, roles } = member;
      known.set(
        `${guildId} ${author.id}`,
        remember(
          Promise.resolve({
            nick: nick ?? null,
            avatar: avatar ?? null,
            ...(roles ? { roles } : {}),
          }),
        ),
      );
    },
    complete,
    /** Completes messages from REST of one channel, in few requests. */
    completeAll: async (
      raws: readonly RawMessage[],
      channel: Channel,
    ): Promise<readonly RawMessage[]> => {
      await know(raws, channel);
      const completed: RawMessage[] = [];
      for (let at = 0; at < raws.length; at += AT_ONCE) {
        const some = raws.slice(at, at + AT_ONCE);
        completed.push(...(await Promise.all(some.map((raw) => complete(raw, channel)))));
      }
      return completed;
    },
  };
};
