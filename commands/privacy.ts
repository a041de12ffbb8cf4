import { defineCommand, type AnswerContext, type Press, pressOn } from '../src/command/command.ts';
import { button, hasRooms, hasWatches, switchButton } from '../src/command/helpers.ts';
import { bullets, lines, sections } from '../src/rich-text/compose.ts';
import type { Content, Control } from '../src/model/message.ts';

const mentions = (ctx: AnswerContext, areOn: boolean): Control =>
  switchButton(ctx, 'privacy mentions', areOn, ['privacy.mentions-off', 'privacy.mentions-on']);

/** The choices, in a few lines: who reads more presses a button. */
const panel = async (ctx: AnswerContext): Promise<Content> => {
  const { services, member, t } = ctx;
  const optedOut = await services.privacy.optedOut(member);
  const canBeMentioned = !optedOut && hasWatches(ctx);
  const { answersMention = true } = await services.settings.of(member);
  const isKeptHere = services.privacy.isKeptBy(member.platform);
  return {
    text: lines(
      t('privacy.heading'),
      t(optedOut ? 'privacy.is-out' : 'privacy.is-in'),
      canBeMentioned && t(answersMention ? 'privacy.mentions-are-on' : 'privacy.mentions-are-off'),
      t(isKeptHere ? 'privacy.page' : 'privacy.short'),
      t('privacy.service'),
    ),
    controls: [
      optedOut
        ? button(ctx, 'privacy in', 'privacy.opt-in')
        : button(ctx, 'privacy out', 'privacy.opt-out'),
      ...(canBeMentioned ? [mentions(ctx, answersMention)] : []),
      button(ctx, 'privacy export', 'privacy.export'),
      button(ctx, 'privacy forget', 'privacy.forget', 'danger'),
      button(ctx, 'privacy details', 'privacy.details'),
    ],
  };
};

/** Lists all that is stored. */
const details = (ctx: AnswerContext): Content => {
  const { services, member, t } = ctx;
  const ofPlatform = services.privacy.isKeptBy(member.platform)
    ? [t('privacy.page'), t('privacy.recordings'), t('privacy.browser')]
    : [t('privacy.messages'), t('privacy.copies')];
  return {
    text: lines(
      t('privacy.heading'),
      bullets(
        t('privacy.choices'),
        t('privacy.usage'),
        t('privacy.languages'),
        ...ofPlatform,
        hasWatches(ctx) && t('privacy.decided'),
        hasRooms(ctx) && t('privacy.rooms'),
      ),
    ),
    controls: [button(ctx, 'privacy show', 'privacy.back')],
  };
};

const press = (run: Press['run']): Press => ({ panel, run });

const choose = (optedOut: boolean): Press =>
  pressOn(panel, (ctx) => ctx.services.privacy.setOptedOut(ctx.member, optedOut));

export default defineCommand(
  'privacy',
  {
    private: true,
    run: async (ctx) => ctx.reply(await panel(ctx)),
  },
  {
    topic: 'privacy',
    presses: {
      show: pressOn(panel),
      details: press(async (ctx) => ctx.reply(details(ctx))),
      out: choose(true),
      in: choose(false),
      mentions: pressOn(panel, ({ services, member, arg }) =>
        services.settings.change(member, { answersMention: arg === 'on' }),
      ),
      export: press(async (ctx) => {
        const bytes = await ctx.services.privacy.export(ctx.member);
        const { text, controls } = await panel(ctx);
        await ctx.reply({
          text: sections(text, ctx.t('privacy.exported')),
          ...(controls ? { controls } : {}),
          files: [{ name: 'privacy.json', mediaType: 'application/json', bytes }],
        });
      }),
      forget: press(async (ctx) =>
        ctx.reply({
          text: lines(
            ctx.t(
              ctx.services.privacy.isKeptBy(ctx.member.platform)
                ? 'privacy.sure-page'
                : 'privacy.sure',
            ),
            hasWatches(ctx) && ctx.t('privacy.decided'),
          ),
          controls: [
            button(ctx, 'privacy sure', 'privacy.forget-now', 'danger'),
            button(ctx, 'privacy show', 'privacy.back'),
          ],
        }),
      ),
      sure: press(async (ctx) => {
        await ctx.services.privacy.forget(ctx.member);
        await ctx.reply({
          text: ctx.t('privacy.forgotten'),
          controls: [button(ctx, 'privacy show', 'privacy.back')],
        });
      }),
    },
  },
);
