import { defineCommand, type Press, type PressContext } from '../src/command/command.ts';
import { hasRooms } from '../src/command/helpers.ts';
import { bullets, lines, sections } from '../src/model/compose-rich-text.ts';
import type { Content, Control } from '../src/model/content.ts';

type Context = Pick<PressContext, 'services' | 'member' | 't' | 'label' | 'commands'>;

const panel = async (ctx: Context): Promise<Content> => {
  const { services, member, t, label } = ctx;
  const optedOut = await services.privacy.optedOut(member);
  const button = (press: string, key: Parameters<typeof label>[0]): Control => ({
    kind: 'button',
    press: `privacy ${press}`,
    label: label(key),
  });
  return {
    text: sections(
      lines(
        t('privacy.heading'),
        bullets(
          t('privacy.choices'),
          t('privacy.usage'),
          t('privacy.messages'),
          t('privacy.copies'),
          hasRooms(ctx) && t('privacy.rooms'),
        ),
      ),
      t('privacy.service'),
      t(optedOut ? 'privacy.is-out' : 'privacy.is-in'),
    ),
    controls: [
      optedOut ? button('in', 'privacy.opt-in') : button('out', 'privacy.opt-out'),
      button('export', 'privacy.export'),
      { ...button('forget', 'privacy.forget'), look: 'danger' } as Control,
    ],
  };
};

const press = (run: Press['run']): Press => ({ panel, run });

const choose = (optedOut: boolean): Press =>
  press(async (ctx) => {
    await ctx.services.privacy.setOptedOut(ctx.member, optedOut);
    await ctx.reply(await panel(ctx));
  });

export default defineCommand(
  'privacy',
  {
    private: true,
    run: async (ctx) => ctx.reply(await panel(ctx)),
  },
  {
    topic: 'privacy',
    presses: {
      show: press(async (ctx) => ctx.reply(await panel(ctx))),
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
      forget: press(async ({ t, label, reply }) =>
        reply({
          text: t('privacy.sure'),
          controls: [
            {
              kind: 'button',
              press: 'privacy sure',
              label: label('privacy.forget-now'),
              look: 'danger',
            },
            { kind: 'button', press: 'privacy show', label: label('privacy.back') },
          ],
        }),
      ),
      sure: press(async ({ services, member, t, label, reply }) => {
        await services.privacy.forget(member);
        await reply({
          text: t('privacy.forgotten'),
          controls: [{ kind: 'button', press: 'privacy show', label: label('privacy.back') }],
        });
      }),
    },
  },
);
