import { moderator, type Press, type PressContext } from '../../src/command/command.ts';
import { button, flagOfLanguage, typedLanguage } from '../../src/command/helpers.ts';
import { userError } from '../../src/errors.ts';
import type { Content, Control } from '../../src/model/message.ts';
import { channelMention } from '../../src/model/place.ts';

/** The buttons by which members choose their languages, as many in a message as it holds. */
const buttonsOf = (
  languages: readonly string[],
  { services, capabilities, t }: Pick<PressContext, 'services' | 'capabilities' | 't'>,
): readonly Content[] => {
  const most = capabilities.controlRows * capabilities.rowButtons;
  const pages = Array.from({ length: Math.ceil(languages.length / most) }, (_, page) =>
    languages.slice(page * most, (page + 1) * most),
  );
  return pages.map((some) => ({
    text: t('autotranslate.roles-how'),
    controls: some.map((language): Control => ({
      kind: 'button',
      press: `autotranslate role:${language}`,
      label: [flagOfLanguage(language), services.languages.name(language, language)]
        .filter(Boolean)
        .join(' '),
    })),
  }));
};

/** The work of the controls for the roles of languages. */
export const rolePresses: Readonly<Record<string, Press>> = {
  /** Posts the buttons in the channel that was chosen. */
  roles: {
    guards: [moderator],
    async run(ctx) {
      const { access, services, channel, values, t, reply } = ctx;
      const to = { space: channel.space, id: values[0] ?? '' };
      const { languageRoles = {} } = await services.spaces.of(channel.space);
      const languages = Object.keys(languageRoles);
      if (languages.length === 0 || to.id === '')
        throw userError('not-found', 'autotranslate.roles-none');
      await access.demand([to], 'write');
      const shared = { ...ctx, ...(await ctx.forReaders(to)) };
      for (const content of buttonsOf(languages, shared)) await services.post(to, content);
      await reply({
        text: t('autotranslate.roles-posted', { channel: channelMention(to) }),
        controls: [button(ctx, 'autotranslate page', 'settings.back')],
      });
    },
  },
  /** Gives the person who presses the role of a language, which is then what they read; pressed again, takes it. */
  role: {
    private: true,
    isForEverybody: true,
    async run({ services, channel, member, locale, arg, t, reply }) {
      const language = typedLanguage(arg, services);
      const isGiven = await services.setups.toggleRole(channel.space, member, language);
      if (isGiven) await services.settings.change(member, { language });
      const name = services.languages.name(language, locale);
      await reply({
        text: t(isGiven ? 'autotranslate.role-given' : 'autotranslate.role-taken', {
          language: name,
        }),
      });
    },
  },
};
