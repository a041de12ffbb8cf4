import { SPACE, type CommandHarness } from '../../fakes/command-harness.ts';
import { watchesOf } from './support.ts';

export const TWELVE_LANGUAGES = 'es,ja,fr,de,it,pt,nl,pl,ko,sv,zh,ru'.split(',');

/** The wizard of a harness, and what it made. */
export const useWizard = (harness: () => CommandHarness) => {
  const open = () => harness().run('autotranslate wizard');
  return {
    open,
    /** Opens the wizard and chooses languages and channels in it. */
    choose: async (languages: readonly string[], channels: readonly string[] = ['100']) => {
      await open();
      await harness().press('autotranslate.wizard-channels', channels);
      return harness().press('autotranslate.wizard-languages', languages);
    },
    make: () => harness().press('autotranslate.wizard-make'),
    /** The watched channels, as `id mode languages`. */
    lines: () =>
      watchesOf(harness()).map(({ id, mode, languages }) => `${id} ${mode} ${languages.join()}`),
    unfinished: () => harness().services.setups.unfinished(SPACE),
    builder: () => harness().script.builder,
  };
};
