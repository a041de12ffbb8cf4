import { button, listOf, quotedWords } from '../../src/command/helpers.ts';
import type { MessageKey } from '../../src/errors.ts';
import type { Control } from '../../src/model/message.ts';
import { channelMention, isSameChannel, type Channel } from '../../src/model/place.ts';
import type { AskedLink } from '../../src/model/watches.ts';
import { bullets, type Maybe } from '../../src/rich-text/compose.ts';
import { timestamp, type RichText } from '../../src/rich-text/rich-text.ts';
import { groupHere } from './change.ts';
import { markNow, type Context as PanelContext } from './context.ts';

/** Open links that are shown at once; the others follow as these are answered. */
const SHOWN = 3;
const SECOND_MS = 1_000;

/** The presses for an open link: the side that is asked answers it, the other one takes it back. */
const presses = ({ isAsked }: AskedLink): readonly (readonly [string, MessageKey])[] =>
  isAsked
    ? [
        ['agree', 'autotranslate.link-yes'],
        ['decline', 'autotranslate.link-no'],
      ]
    : [['withdraw', 'autotranslate.link-withdraw']];

/** Says which links of a channel wait for an answer, with the buttons for each; `text` is undefined for none. */
export const openLinksOf = async (
  channel: Channel,
  ctx: Pick<PanelContext, 'services' | 't' | 'label'>,
): Promise<{ readonly text: RichText | undefined; readonly controls: readonly Control[] }> => {
  const { services, t, label } = ctx;
  const all = await services.watches.openLinks(channel);
  const shown = all.slice(0, SHOWN);
  if (shown.length === 0) return { text: undefined, controls: [] };
  const left = all.length - shown.length;
  const said = shown.map(({ isAsked, channel: other, by, expiresMs }) =>
    t(isAsked ? 'autotranslate.link-asking' : 'autotranslate.link-waiting', {
      name: quotedWords(by ?? '–'),
      channel: other,
      until: timestamp(Math.floor(expiresMs / SECOND_MS), 'f'),
    }),
  );
  return {
    text: bullets(...said, left > 0 && t('settings.more', { count: left })),
    controls: shown.flatMap((link, at) =>
      presses(link).map(([press, key]) => ({
        kind: 'button' as const,
        press: `autotranslate ${press}:${channel.id}/${link.id}/${markNow(channel, ctx)}`,
        label: shown.length > 1 ? `${label(key)} (${at + 1})` : label(key),
      })),
    ),
  };
};

/**
 * Says for which channels links wait for an answer, with a button that leads to the oldest; those that the person may answer.
 *
 * @param but a channel whose open links are shown already
 */
export const openLinksElsewhere = async (
  ctx: PanelContext,
  but?: Channel,
): Promise<{ readonly text: Maybe<RichText>; readonly controls: readonly Control[] }> => {
  const { access, channel, services, t } = ctx;
  const all = await services.watches.openLinksIn(channel.space);
  const others = all.filter((each) => !but || !isSameChannel(each, but));
  const linked = (one: Channel) => [one, ...groupHere(one, ctx).map((each) => each.channel)];
  const seen = new Set(
    (await access.seen(others.flatMap(linked), (each) => each)).map(({ id }) => id),
  );
  const shown = others.filter((one) => linked(one).every(({ id }) => seen.has(id)));
  const [first] = shown;
  if (!first) return { text: undefined, controls: [] };
  const ids = [...new Set(shown.map(({ id }) => id))];
  const left = ids.length - SHOWN;
  const named = ids.slice(0, SHOWN).map((id) => channelMention({ space: channel.space, id }));
  return {
    text: t('autotranslate.open-links', {
      count: shown.length,
      channels: listOf(
        left > 0 ? [...named, t('settings.more', { count: left })] : named,
        ctx.locale,
      ),
    }),
    controls: [button(ctx, `autotranslate links:${first.id}`, 'autotranslate.open-links-show')],
  };
};
