import { moderator, type AnswerContext, type Press, pressOn } from '../../src/command/command.ts';
import { button, KEY_CHARS, ownKeyTrouble, quotedWords } from '../../src/command/helpers.ts';
import type { Content } from '../../src/model/message.ts';
import { bullets, lines, nested, sentence } from '../../src/rich-text/compose.ts';
import type { OwnKeyState } from '../../src/model/service.ts';
import { timestamp, type RichText } from '../../src/rich-text/rich-text.ts';

const SECOND_MS = 1_000;

/** Says who set the space's key, and when. */
const stateLine = (state: OwnKeyState, t: AnswerContext['t']): RichText => {
  const date = timestamp(Math.floor(state.setMs / SECOND_MS));
  if (state.setBy === undefined) return t('settings.key-set', { date });
  return t('settings.key-set-by', { date, member: quotedWords(state.setBy) });
};

/** Tells moderators of the space's own key, with the reason where it is of no use; never the key. */
export const keyLine = async (ctx: AnswerContext) => {
  const state = await ctx.services.spaceKeys.state(ctx.channel.space);
  if (!state) return ctx.t('settings.key-none');
  const { trouble } = state;
  return nested(stateLine(state, ctx.t), [trouble && sentence('❌ ', ownKeyTrouble(trouble, ctx))]);
};

/** The page on which moderators set, replace and remove the space's own key. */
export const keyPage = async (ctx: AnswerContext): Promise<Content> => {
  const { services, channel, member, t } = ctx;
  const { spaceKeys } = services;
  const state = await spaceKeys.state(channel.space);
  const enter = state ? 'settings.key-replace' : 'settings.key-enter';
  return {
    text: lines(
      t('settings.key-heading'),
      t('settings.key-how'),
      bullets(await keyLine(ctx)),
      !spaceKeys.canStore &&
        t(member.isOperator ? 'remedies.encryption-key' : 'settings.key-closed'),
    ),
    controls: [
      ...(spaceKeys.canStore ? [button(ctx, 'settings key', enter, 'primary')] : []),
      ...(state ? [button(ctx, 'settings dropkey', 'settings.key-remove', 'danger')] : []),
      button(ctx, 'settings page', 'settings.back'),
    ],
  };
};

export const keyPresses: Readonly<Record<string, Press>> = {
  key: {
    guards: [moderator],
    form: {
      title: 'settings.key-enter',
      label: 'settings.key',
      hint: 'settings.key-hint',
      maxChars: KEY_CHARS,
    },
    ...pressOn(keyPage, async ({ services, channel, member, values: [typed = ''], signal }) =>
      services.spaceKeys.set(channel.space, typed, member, signal),
    ),
  },
  dropkey: {
    guards: [moderator],
    ...pressOn(keyPage, async ({ services, channel }) => services.spaceKeys.remove(channel.space)),
  },
};
