import { AppError, toAppError, userError, type MessageKey } from '../errors.ts';
import type { Texts } from '../i18n/texts.ts';
import type { Log } from '../telemetry/log.ts';
import type { Content } from '../model/message.ts';
import { channelKey, isSameChannel, type Channel } from '../model/place.ts';
import type { ChannelWatch, LinkInvite, Watches } from '../model/space.ts';
import type { LinkInvites, WatchStore } from '../store/channels/watches.ts';
import type { OwnWatches } from './watches.ts';

/** Most channels of one group. */
const MOST_CHANNELS = 20;

export interface LinksDeps {
  readonly stored: Pick<WatchStore, 'of' | 'group'>;
  readonly watches: Pick<Watches, 'set' | 'missing' | 'remove'> & Pick<OwnWatches, 'demandOwn'>;
  readonly invites: Pick<LinkInvites, 'make' | 'take'>;
  readonly texts: Pick<Texts, 'rich'>;
  readonly log: Log;
  /** Posts into a channel of any platform. */
  readonly post: (channel: Channel, content: Content) => Promise<void>;
}

/** The name of a platform in sentences. */
const titleOf = (platform: string): string => platform.charAt(0).toUpperCase() + platform.slice(1);

const isElsewhere = (here: Channel, { channel: { space } }: ChannelWatch): boolean =>
  space.platform !== here.space.platform || space.id !== here.space.id;

export type Links = ReturnType<typeof createLinks>;

/** Links channels of different spaces and platforms: one side makes a code, the other one uses it. */
export const createLinks = (deps: LinksDeps) => {
  const { stored, watches, invites, texts, log, post } = deps;

  /** Tells channels elsewhere what changed for them; each in its own language. */
  const tell = async (
    readers: readonly ChannelWatch[],
    key: Extract<MessageKey, `autotranslate.${string}`>,
    about: Channel,
  ): Promise<void> => {
    for (const { channel, languages } of readers) {
      const t = texts.rich(languages[0] ?? 'en');
      const text = t(key, { platform: titleOf(about.space.platform) });
      try {
        await post(channel, { text, tone: 'note' });
      } catch (thrown) {
        const { code, message } = toAppError(thrown);
        log.warn({ code, reason: message }, 'a linked channel could not be told of a change');
      }
    }
  };

  return {
    elsewhere: (watch: ChannelWatch): number =>
      stored.group(watch).filter((each) => isElsewhere(watch.channel, each)).length,
    /** Makes a code by which a channel elsewhere can be linked with this one. */
    invite: async (watch: ChannelWatch): Promise<LinkInvite> => {
      watches.demandOwn(watch);
      const lacking = await watches.missing(watch);
      if (lacking.length > 0)
        throw new AppError('forbidden', 'permissions are missing in a channel to be linked', {
          sentence: { key: 'watch.missing', params: { permissions: lacking.join(', ') } },
        });
      return invites.make(watch);
    },
    /** Links a channel with the one of a code; resolves with all channels of the group. */
    link: async (code: string, watch: ChannelWatch): Promise<readonly ChannelWatch[]> => {
      const invited = await invites.take(code);
      if (!invited) throw userError('not-found', 'autotranslate.link-unknown');
      if (isSameChannel(invited.channel, watch.channel))
        throw userError('bad-input', 'autotranslate.link-itself');
      const current = stored.of(invited.channel);
      const isLinked = current?.mode === 'mirror' && current.group !== undefined;
      const members = isLinked ? stored.group(current) : [];
      if (members.length >= MOST_CHANNELS)
        throw userError('bad-input', 'autotranslate.link-full', { most: MOST_CHANNELS });
      const group = isLinked ? current.group : crypto.randomUUID();
      const joined: ChannelWatch = { ...watch, mode: 'mirror', group: group ?? '' };
      const added = isLinked ? [joined] : [{ ...invited, group: group ?? '' }, joined];
      await watches.set(added);
      const all = [
        ...members.filter(({ channel }) => !isSameChannel(channel, watch.channel)),
        ...added,
      ];
      const others = all.filter((each) => isElsewhere(watch.channel, each));
      await tell(others, 'autotranslate.linked-here', watch.channel);
      return all;
    },
    /** Tells channels elsewhere that others were taken out of their groups; does not wait for it. */
    tellOfEnd: (
      ended: readonly { readonly reader: ChannelWatch; readonly about: Channel }[],
    ): void => {
      const byReader = new Map(ended.map((each) => [channelKey(each.reader.channel), each]));
      for (const { reader, about } of byReader.values())
        void tell([reader], 'autotranslate.unlinked-here', about);
    },
    /** Ends a watch, and tells the channels elsewhere that were linked with it. */
    remove: async (channel: Channel): Promise<boolean> => {
      const watch = stored.of(channel);
      const others = watch ? stored.group(watch).filter((each) => isElsewhere(channel, each)) : [];
      const isRemoved = await watches.remove(channel);
      if (isRemoved) await tell(others, 'autotranslate.unlinked-here', channel);
      return isRemoved;
    },
  };
};
