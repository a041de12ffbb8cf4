import { userError } from '../../src/errors.ts';
import { channelMention, type Channel, type Space } from '../../src/model/place.ts';
import type { Builder, BuildNeeds, NewThing, Survey } from '../../src/ports/builder.ts';
import type { Api } from './api.ts';
import { readChannel } from './channel-feed.ts';
import { isRefusal, refusedAs, SlackError } from './errors.ts';
import { channelIdOf, channelOf } from './ids.ts';
import type { Installations } from './install/installations.ts';
import { CHANNEL_NAME_CHARS } from './limits.ts';
import { ownChannels } from './own-channels.ts';
import type { People } from './people.ts';

/** The scope that making and archiving public channels needs ("conversations.create"). */
const SCOPE = 'channels:manage';
/** Names that are tried where others have one already. */
const NAMES = 9;

/** Slack tells apps of nobody but owners and admins whether they may create public channels. */
const onlyAdmins = () => userError('forbidden', 'autotranslate.wizard-admins');

const lacking = (scope: string = SCOPE) =>
  userError('forbidden', 'slack.may-not-make', { permissions: { list: [scope] } });

/** A name as Slack takes it: small letters, digits, hyphens and underscores ("conversations.create"). */
const nameOf = (name: string, number = 1): string => {
  const end = number === 1 ? '' : `-${number}`;
  const plain = name.toLowerCase().replaceAll(/[^\p{L}\p{N}\p{M}_]+/gu, '-');
  const cut = Array.from(plain)
    .slice(0, CHANNEL_NAME_CHARS - end.length)
    .join('');
  return `${cut.replaceAll(/^-+|-+$/g, '')}${end}`;
};

interface Listed {
  readonly id: string;
  readonly name: string;
  /** s since 1970. */
  readonly created: number;
  readonly creator: string;
}

export interface BuilderDeps {
  readonly api: Api;
  readonly installations: Pick<Installations, 'known'>;
  readonly people: Pick<People, 'of'>;
}

/** Creates `Platform.builder`: public channels. Groups of people, Slack's roles, only paid plans have. */
export const createBuilder = ({ api, installations, people }: BuilderDeps): Builder => {
  /** Lists the public channels that the bot is in. */
  const own = async (space: Space): Promise<readonly Listed[]> => {
    const channels = await ownChannels(api, space, { only: 'public' });
    return channels.map(({ id, name = '', created = 0, creator = '' }) => ({
      id,
      name,
      created,
      creator,
    }));
  };

  const nameIn = async (channel: Channel): Promise<string> => {
    const info = await readChannel(api, channel);
    const shown = { channel: channelMention(channel) };
    if (!info) throw userError('not-found', 'autotranslate.wizard-gone', shown);
    if (info.is_private || info.is_im || info.is_mpim)
      throw userError('forbidden', 'autotranslate.wizard-private', shown);
    return info.name ?? '';
  };

  const demandScope = (space: Space): void => {
    const scopes = installations.known(space)?.scopes;
    if (scopes && !scopes.has(SCOPE)) throw lacking();
  };

  const survey = async (space: Space, { sources }: BuildNeeds): Promise<Survey> => {
    demandScope(space);
    const names: [string, string][] = [];
    for (const { id } of sources) names.push([id, await nameIn(channelOf(space.id, id))]);
    return { names: Object.fromEntries(names), apart: [] };
  };

  const make = async (space: Space, { name }: NewThing): Promise<string> => {
    for (let number = 1; ; number += 1) {
      try {
        const args = { name: nameOf(name, number), is_private: false };
        const made = await api.call(space, 'conversations.create', args, { once: true });
        return made.channel?.id ?? '';
      } catch (thrown) {
        if (isRefusal(thrown, 'name_taken') && number < NAMES) continue;
        if (thrown instanceof SlackError && thrown.needed !== undefined)
          throw lacking(thrown.needed);
        throw thrown;
      }
    }
  };

  return {
    threads: false,
    demand: async (space, { id }) => {
      // Nothing that a person could do first, such as inviting the app, is of use without it.
      demandScope(space);
      if (!(await people.of(space, id)).isAdmin) throw onlyAdmins();
    },
    survey,
    nameOf: ({ name }) => nameOf(name),
    make,
    find: async (space, { name }, sinceMs, known) => {
      const bot = installations.known(space)?.botUserId;
      const names = Array.from({ length: NAMES }, (_, at) => nameOf(name, at + 1));
      const found = (await own(space)).find(
        (channel) =>
          names.includes(channel.name) &&
          channel.creator === bot &&
          channel.created >= Math.floor(sinceMs / 1_000) &&
          !known.includes(channel.id),
      );
      return found && { id: found.id, isOurs: true };
    },
    standing: async (space, things) => {
      const there = new Set((await own(space)).map(({ id }) => id));
      return things.filter(({ id }) => there.has(id));
    },
    // Apps cannot delete channels.
    remove: async (space, { id }) => {
      const channel = channelIdOf(channelOf(space.id, id));
      const archiving = api.call(space, 'conversations.archive', { channel });
      await refusedAs(archiving, 'already_archived', 'channel_not_found');
    },
  };
};
