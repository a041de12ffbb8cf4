import { NAMING } from './manifest.ts';
import type { Core } from '../../src/adapter.ts';
import type { Member, Space } from '../../src/model/place.ts';
import { lines, series } from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';

/**
 * Creates the list of first steps in App Home, those ticked that were done; nothing for members, whose own settings
 * stand below, and once all are done.
 *
 * @param nameIn the name by which people mention the app
 */
export const createHomeSteps =
  ({ services, texts }: Pick<Core, 'services' | 'texts'>, nameIn: (space: Space) => string) =>
  async (space: Space, member: Member): Promise<RichText> => {
    if (member.role !== 'moderator') return [];
    const [{ language }, { moderators }, terms] = await Promise.all([
      services.settings.of(member),
      services.spaces.of(space),
      services.glossary.list(space),
    ]);
    const steps = [
      ['channel', 'autotranslate', services.watches.list(space).length > 0],
      ['language', 'language', language !== undefined],
      ['glossary', 'glossary', terms.length > 0],
      ['notices', 'settings', moderators !== undefined],
    ] as const;
    if (steps.every(([, , isDone]) => isDone)) return [];
    const t = texts.rich(member.locale, NAMING);
    const label = texts.in(member.locale, NAMING);
    const rows = steps.map(([step, section, isDone]) => {
      const told = t(`slack.home.step-${step}`, {
        name: nameIn(space),
        section: label(`slack.home.${section}`),
      });
      return series([isDone ? '✅' : '⬜', told], ' ');
    });
    return lines(...rows);
  };
