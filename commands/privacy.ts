import { defineCommand, pressOn, type Press, type PressContext } from '../src/command/command.ts';
import { button, hasRooms } from '../src/command/helpers.ts';
import { bullets, lines, sections } from '../src/rich-text/compose.ts';
import type { Content } from '../src/model/message.ts';

type Context = Pick<PressContext, 'services' | 'member' | 't' | 'label' | 'commands'>;

/** The choices, in three lines: who reads more presses a button. */
const panel = async ({ services, member, t, ...ctx }: Context): Promise<Content> => {
  const optedOut = await services.privacy.optedOut(member);
  const isKeptHere = services.privacy.isKeptBy(member.platform);
  return {
    text: lines(
      t('privacy.heading'),
      t(optedOut ? 'privacy.is-out' : 'privacy.is-in'),
      t(isKeptHere ? 'privacy.page' : 'privacy.short'),
      t('privacy.service'),
    ),
    controls: [
      optedOut
        ? button(ctx, 'privacy in', 'privacy.opt-in')
        : button(ctx, 'privacy out', 'privacy.opt-out'),
      button(ctx, 'privacy export', 'privacy.export'),
      button(ctx, 'privacy forget', 'privacy.forget', 'danger'),
      button(ctx, 'privacy details', 'privacy.details'),
    ],
  };
};

/** Lists all that is stored. */
const details = (ctx: Context): Content => {
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
          text: ctx.t(
            ctx.services.privacy.isKeptBy(ctx.member.platform)
              ? 'privacy.sure-page'
              : 'privacy.sure',
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
