import { toAppError } from '../errors.ts';
import type { Texts } from '../i18n/texts.ts';
import type { Log } from '../telemetry/log.ts';
import type { Content } from '../model/message.ts';
import type { Channel } from '../model/place.ts';
import { timestamp } from '../rich-text/rich-text.ts';
import type { HistoryGap, HistoryGaps } from '../store/channels/histories.ts';
import type { WatchStore } from '../store/channels/watches.ts';

export interface HistoryGapNoticeDeps {
  readonly gaps: Pick<HistoryGaps, 'put'>;
  readonly watches: Pick<WatchStore, 'of'>;
  readonly texts: Pick<Texts, 'rich'>;
  readonly log: Log;
  /** Posts into a channel of any platform. */
  readonly post: (channel: Channel, content: Content) => Promise<void>;
}

const at = (timeMs: number) => timestamp(Math.floor(timeMs / 1_000));

/**
 * Creates what records a time of a channel whose messages cannot be read, and says so in the channel:
 * people there know best what was written then.
 */
export const createHistoryGapNotice =
  ({ gaps, watches, texts, log, post }: HistoryGapNoticeDeps) =>
  async (gap: HistoryGap): Promise<void> => {
    const { channel, fromMs, untilMs, reason } = gap;
    const where = { platform: channel.space.platform, channel: channel.id };
    log.warn({ ...where, fromMs, untilMs, reason }, 'missed messages of a channel were not read');
    if (!(await gaps.put(gap))) return;
    const t = texts.rich(watches.of(channel)?.languages[0] ?? 'en');
    const times = { from: at(fromMs), until: at(untilMs) };
    try {
      await post(channel, { text: t(`autotranslate.gap-${reason}`, times), tone: 'note' });
    } catch (thrown) {
      const { code, message } = toAppError(thrown);
      log.warn({ ...where, code, reason: message }, 'a channel could not be told of a gap');
    }
  };
