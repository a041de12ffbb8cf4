import { userError } from '../../src/errors.ts';
import { channelMention, isSameChannel, type Channel } from '../../src/model/place.ts';
import { labelled, sections } from '../../src/rich-text/compose.ts';
import { paragraph, quote, styled, text, type RichText } from '../../src/rich-text/rich-text.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import { usedLanguages } from '../../src/model/space.ts';
import { excerptRow, resultOf } from '../../src/command/helpers.ts';
import { groupHere } from './change.ts';
import { watchOf, type PanelContext } from './panel-controls.ts';

/** The languages in which a message of a channel is shown, here and elsewhere. */
const shownLanguages = async (channel: Channel, ctx: PanelContext): Promise<readonly string[]> => {
  const watch = watchOf(ctx, channel);
  if (watch?.mode !== 'mirror') return watch ? usedLanguages(watch) : [];
  const others = [
    ...groupHere(channel, ctx).filter((each) => !isSameChannel(each.channel, channel)),
    ...(await ctx.services.watches.members(watch)),
  ];
  return [...new Set(others.flatMap(({ languages }) => languages))];
};

/** UTF-16 units of a message and its translations together: the panel with its controls stays one message. */
const PREVIEW_CHARS = 1_000;

/** A text as it is; its beginning, in one row, where it is longer. */
const beginning = (tree: RichText, chars: number): RichText =>
  plainText(tree).length <= chars ? tree : [paragraph(...excerptRow(tree, chars))];

/** The last message of a channel as it would be translated, in short; throws `not-found` where there is none. */
export const previewOf = async (channel: Channel, ctx: PanelContext): Promise<RichText> => {
  const { services, signal, locale, t } = ctx;
  const [message] = await services.messages.recent(channel, 1, signal);
  if (!message)
    throw userError('not-found', 'autotranslate.panel-no-message', {
      channel: channelMention(channel),
    });
  const languages = await shownLanguages(channel, ctx);
  const chars = Math.floor(PREVIEW_CHARS / (languages.length + 1));
  const written = beginning(message.text, chars);
  const shown = await Promise.all(
    languages.map(async (to) => {
      const request = {
        text: written,
        to,
        expected: languages,
        place: channel,
        lane: 'interactive',
      } as const;
      const { text: words, outcome } = await resultOf(
        services.translator.translate(request, signal),
      );
      if (outcome !== 'translated') return undefined;
      const name = styled('bold', text(services.languages.name(to, locale)));
      return labelled([name], beginning(words, chars));
    }),
  );
  return sections(t('autotranslate.panel-preview-of'), [quote(...written)], ...shown);
};
