import { HOUR_MS, MINUTE_MS } from '../async/clock.ts';
import { userError } from '../errors.ts';
import type { Message } from '../model/message.ts';
import type { Channel, MessageRef } from '../model/place.ts';
import type { Privacy } from '../store/privacy/person-data.ts';
import { isBlankMessage } from '../text/message-checks.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

/** Times back to which the newest messages are looked for, one after the other: a busy channel is not read for a day. */
const LOOK_BACK_MS = [5 * MINUTE_MS, HOUR_MS, 24 * HOUR_MS];

export interface AskedMessagesDeps {
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
  readonly privacy: Pick<Privacy, 'optedOut'>;
  readonly now: () => number;
}

/** Reads messages for somebody who asks for them: none of people who opted out. Every method rejects with an `AppError`. */
export interface AskedMessages {
  /** Reads a message; undefined where it is gone, or its author opted out. */
  read(ref: MessageRef): Promise<Message | undefined>;
  /**
   * Reads the newest messages of the last day that have words, oldest first. Rejects with `unavailable` where the platform
   * takes minutes for that.
   */
  recent(channel: Channel, most: number, signal: AbortSignal): Promise<readonly Message[]>;
}

export const createAskedMessages = ({
  platforms,
  privacy,
  now,
}: AskedMessagesDeps): AskedMessages => {
  const mayBeRead = async ({ ref, author }: Message): Promise<boolean> =>
    !(await privacy.optedOut({ platform: ref.channel.space.platform, id: author.id }));

  const readSince = async (
    channel: Channel,
    sinceMs: number,
    signal: AbortSignal,
  ): Promise<readonly Message[]> => {
    const { feed } = platforms.of(channel);
    const found: Message[] = [];
    for await (const message of feed.history(channel, feed.positionAt(sinceMs), signal)) {
      const isHere = message.ref.channel.id === channel.id && !message.system;
      const isOurs = message.author.kind === 'ourselves';
      if (isHere && !isOurs && !isBlankMessage(message.text) && (await mayBeRead(message)))
        found.push(message);
    }
    return found.toSorted((a, b) => (a.position < b.position ? -1 : 1));
  };

  return {
    read: async (ref) => {
      const message = await platforms.of(ref.channel).feed.read(ref);
      return message && (await mayBeRead(message)) ? message : undefined;
    },
    recent: async (channel, most, signal) => {
      if (platforms.of(channel).feed.isHistorySlow?.(channel))
        throw userError('unavailable', 'autotranslate.read-slow');
      let found: readonly Message[] = [];
      for (const ms of LOOK_BACK_MS) {
        found = await readSince(channel, now() - ms, signal);
        if (found.length >= most) break;
      }
      return found.slice(-most);
    },
  };
};
