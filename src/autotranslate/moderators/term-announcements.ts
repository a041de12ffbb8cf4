import { DAY_MS, MINUTE_MS } from '../../async/clock.ts';
import { createRunning } from '../../async/running.ts';
import { faultFields, toAppError } from '../../errors.ts';
import type { Texts } from '../../i18n/texts.ts';
import type { GlossaryProposal } from '../../model/glossary.ts';
import type { Content } from '../../model/message.ts';
import type { Channel } from '../../model/place.ts';
import { isQuiet } from '../../model/space.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import type { GlossaryProposals } from '../../store/glossary-proposals.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import type { Log } from '../../telemetry/log.ts';
import { typedCode } from '../../text/quoted-words.ts';
import { TERM_CHARS } from '../../translation/glossary-rows.ts';
import { noticeLanguage } from '../rules.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

/** Time between two looks at what was not announced. */
export const ANNOUNCED_EVERY_MS = 10 * MINUTE_MS;
/** Time after which one that was not announced is tried again: longer than a platform's answer takes. */
const AGAIN_MS = 2 * MINUTE_MS;

export interface TermAnnouncementsDeps {
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly watches: Pick<WatchStore, 'of'>;
  readonly texts: Pick<Texts, 'rich'>;
  readonly proposals: Pick<GlossaryProposals, 'unannounced' | 'announced'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly post: (channel: Channel, content: Content) => Promise<void>;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => number;
}

/**
 * Creates what announces an accepted entry of the glossary in the channel where it was proposed, without its author, where
 * moderators chose that. One whose process ended, or whose platform was away, is announced later, for a day; where the
 * process was killed right after it, it comes twice.
 */
export const createTermAnnouncements = (deps: TermAnnouncementsDeps) => {
  const { spaces, watches, texts, proposals, platforms, post, log, now } = deps;

  const say = async ({ channel, term }: GlossaryProposal): Promise<void> => {
    if (!channel) return;
    const choices = await spaces.of(channel.space);
    if (!choices.announcesTerms || isQuiet(channel, choices)) return;
    const t = texts.rich(noticeLanguage(watches.of(channel), choices));
    const text = t('glossary.announced', {
      term: typedCode(term.term, TERM_CHARS),
      translation: typedCode(term.translation ?? '', TERM_CHARS),
      language: { language: term.language ?? '' },
    });
    await post(channel, { text, tone: 'note' });
  };

  const running = createRunning();

  /** Announces one. Never rejects. */
  const announce = async (proposal: GlossaryProposal): Promise<void> => {
    try {
      const fault = await say(proposal).catch(toAppError);
      if (fault) log.warn(faultFields(fault), 'an accepted term could not be announced');
      if (!fault?.retryable) await proposals.announced(proposal.id);
    } catch (thrown) {
      log.warn(faultFields(thrown), 'an announcement could not be noted');
    }
  };

  return {
    announce,
    /** Resolves when nothing is being announced that was looked for. */
    idle: running.settled,
    /** Begins to announce what was accepted some time ago, and was not announced. Never rejects. */
    look: async (): Promise<void> => {
      try {
        const found = await proposals.unannounced(now() - DAY_MS, now() - AGAIN_MS);
        const known = found.filter(({ channel }) => !channel || platforms.find(channel));
        for (const each of known) void running.add(() => announce(each));
      } catch (thrown) {
        log.warn(faultFields(thrown), 'accepted terms could not be looked for');
      }
    },
  };
};
