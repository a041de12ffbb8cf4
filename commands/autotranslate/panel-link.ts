import { button } from '../../src/command/helpers.ts';
import { userError } from '../../src/errors.ts';
import type { Content } from '../../src/model/message.ts';
import { channelMention, type Channel } from '../../src/model/place.ts';
import type { ChannelWatch } from '../../src/model/space.ts';
import { sections } from '../../src/rich-text/compose.ts';
import { demandChange, join } from './change.ts';
import { linkWarning, changer } from './context.ts';
import {
  channelNamed,
  chosenLanguages,
  languageControl,
  watchOf,
  type PanelContext,
} from './panel-controls.ts';
import { back, channelControl, channelPage } from './panel-pages.ts';

/** The choices so far: a channel, its language where it is linked with none yet, and the one to link with it, with its own. */
interface Chosen {
  readonly id: string;
  readonly language: string;
  readonly other: string;
  readonly otherLanguage: string;
  /** Names the channels elsewhere of which the person was told that they would see it; empty for none. */
  readonly said: string;
}

/** Reads what a control carries of what was chosen before. */
export const readChosen = (arg: string): Chosen => {
  const [id = '', language = '', other = '', otherLanguage = '', said = ''] = arg.split('/');
  return { id, language, other, otherLanguage, said };
};

/** Asks for the language of a channel. */
export const languagePage = (
  ctx: PanelContext,
  about: string,
  { press, find, id }: { readonly press: string; readonly find: string; readonly id: string },
  found?: readonly string[],
): Content => ({
  text: sections(
    ctx.t('autotranslate.panel-link-language', {
      channel: channelMention(channelNamed(ctx, about)),
    }),
    linkWarning(channelNamed(ctx, about), ctx),
  ),
  controls: [
    languageControl({ press, chosen: [], ...(found ? { found } : {}) }, ctx),
    button(ctx, find, 'autotranslate.panel-find'),
    back(ctx, `autotranslate page:${id}`),
  ],
});

/** Asks for the language of a channel, or, where it is linked already, for another channel. */
export const linkPage = async (
  ctx: PanelContext,
  { id, language }: Pick<Chosen, 'id' | 'language'>,
  found?: readonly string[],
): Promise<Content> => {
  const channel = channelNamed(ctx, id);
  await ctx.access.demand([channel], 'see');
  if (language === '' && watchOf(ctx, channel)?.mode !== 'mirror')
    return languagePage(
      ctx,
      id,
      { press: `autotranslate linkfrom:${id}`, find: `autotranslate findfrom:${id}`, id },
      found,
    );
  return {
    text: ctx.t('autotranslate.panel-link-to', {
      channel: channelMention(channel),
      entry: ctx.t('autotranslate.panel-elsewhere'),
    }),
    controls: [
      channelControl(ctx, `autotranslate linkto:${id}/${language}`),
      back(ctx, `autotranslate page:${id}`),
    ],
  };
};

/** Links a channel with one that is linked already; asks for the language of any other one first. */
export const linkWith = async (ctx: PanelContext, chosen: Chosen): Promise<Content> => {
  const there = watchOf(ctx, channelNamed(ctx, chosen.other));
  return there?.mode === 'mirror'
    ? linkChosen(chosen, there.languages, ctx)
    : otherLanguagePage(ctx, chosen);
};

/** Asks for the language of the channel that is to be linked. */
export const otherLanguagePage = async (
  ctx: PanelContext,
  { id, language, other }: Chosen,
  found?: readonly string[],
): Promise<Content> => {
  await ctx.access.demand([channelNamed(ctx, id), channelNamed(ctx, other)], 'see');
  if (id === other) throw userError('bad-input', 'autotranslate.join-itself');
  const chosen = `${id}/${language}/${other}`;
  return languagePage(
    ctx,
    other,
    { press: `autotranslate linkas:${chosen}`, find: `autotranslate findas:${chosen}`, id },
    found,
  );
};

/** Adds a channel to the group of another one; where channels elsewhere are in it, that is said and asked first. */
const joinAsked = async (
  watch: ChannelWatch,
  to: Channel,
  { id, language, other, said }: Chosen,
  ctx: PanelContext,
): Promise<Content> => {
  const asked = await join(watch, to, { by: changer(ctx), mayMixAges: false, said }, ctx);
  if (!('seen' in asked)) return channelPage(ctx, id);
  const press = `autotranslate linksure:${id}/${language}/${other}/${watch.languages[0] ?? ''}/${asked.seen}`;
  return {
    text: asked.text,
    controls: [
      button(ctx, press, 'autotranslate.link-yes', 'primary'),
      back(ctx, `autotranslate page:${id}`),
    ],
  };
};

/** Links two channels, or one with the group of the other, and shows the page of the first one. */
export const linkChosen = async (
  chosen: Chosen,
  values: readonly string[],
  ctx: PanelContext,
): Promise<Content> => {
  const { id, language, other } = chosen;
  const { services } = ctx;
  const [first, second] = [channelNamed(ctx, id), channelNamed(ctx, other)];
  const languages = chosenLanguages(values, 1, ctx);
  const { transcribes, bots } = watchOf(ctx, first) ?? { transcribes: true, bots: false };
  const common = { mode: 'mirror', transcribes, bots } as const;
  const joining: ChannelWatch = { ...common, channel: second, languages };
  if (watchOf(ctx, first)?.mode === 'mirror') return joinAsked(joining, first, chosen, ctx);
  const own = chosenLanguages([language], 1, ctx);
  if (id === other) throw userError('bad-input', 'autotranslate.join-itself');
  if (watchOf(ctx, second)?.mode === 'mirror')
    return joinAsked({ ...common, channel: first, languages: own }, second, chosen, ctx);
  if (own[0] === languages[0]) throw userError('bad-input', 'autotranslate.one-language');
  await demandChange([first, second], ctx);
  const group = crypto.randomUUID();
  const pair = [{ ...common, channel: first, languages: own }, joining];
  await services.watches.set(
    pair.map((watch) => ({ ...watch, group })),
    { by: changer(ctx) },
  );
  return channelPage(ctx, id);
};
