import type { Texts } from '../../i18n/texts.ts';
import type { GlossaryProposal } from '../../model/glossary.ts';
import { isQuiet } from '../../model/space.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import { typedCode } from '../../text/quoted-words.ts';
import { TERM_CHARS } from '../../translation/glossary-rows.ts';
import { noticeLanguage } from '../rules.ts';
import type { Tell } from '../tell.ts';

export interface TermAnnouncementsDeps {
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly watches: Pick<WatchStore, 'of'>;
  readonly texts: Pick<Texts, 'rich'>;
  readonly tell: Tell;
}

/**
 * Creates what announces an accepted entry of the glossary in the channel where it was proposed, without its author, where
 * moderators chose that. Never rejects for what the platform refuses.
 */
export const createTermAnnouncements =
  ({ spaces, watches, texts, tell }: TermAnnouncementsDeps) =>
  async ({ channel, term }: GlossaryProposal): Promise<void> => {
    if (!channel) return;
    const choices = await spaces.of(channel.space);
    if (!choices.announcesTerms || isQuiet(channel, choices)) return;
    const t = texts.rich(noticeLanguage(watches.of(channel) ?? { languages: [] }, choices));
    await tell(
      channel,
      t('glossary.announced', {
        term: typedCode(term.term, TERM_CHARS),
        translation: typedCode(term.translation ?? '', TERM_CHARS),
        language: { language: term.language ?? '' },
      }),
    );
  };
