import { findTranslationModel, type TranslationModel } from '../engines/bergamot/model.ts';
import { findChatModel, type ChatModel } from '../engines/llama/model.ts';
import { findDiarisation, type DiarisationModel } from '../engines/sherpa-onnx/diarisation.ts';
import { findModel, type Model } from '../engines/sherpa-onnx/model.ts';
import { findVoices, type InstalledSpeaker } from '../engines/sherpa-onnx/voices.ts';

/** The model in a folder, with the paths of its files, as its engine uses them. */
export type Layout = (
  | { readonly ability: 'translation'; readonly model: TranslationModel }
  | { readonly ability: 'speech'; readonly speakers: readonly InstalledSpeaker[] }
  | { readonly ability: 'recognition'; readonly model: Model }
  | { readonly ability: 'diarisation'; readonly model: DiarisationModel }
  | { readonly ability: 'chat'; readonly model: ChatModel }
) & {
  /** BCP 47 codes that the files name; undefined where they name none. */
  readonly languages?: readonly string[] | undefined;
};

/**
 * Finds out what kind of model a folder holds. Throws `AppError` (`config`) with an operator's
 * sentence when no engine can use it.
 */
export const findLayout = async (folder: string): Promise<Layout> => {
  const translation = await findTranslationModel({ path: folder, record: undefined });
  if (translation) {
    const languages = [translation.from, translation.to];
    return { ability: 'translation', model: translation, languages };
  }
  const chat = await findChatModel(folder);
  if (chat) return { ability: 'chat', model: chat };
  const diarisation = await findDiarisation(folder);
  if (diarisation) return { ability: 'diarisation', model: diarisation };
  const speakers = await findVoices(folder);
  if (speakers) return { ability: 'speech', speakers };
  const model = await findModel(folder);
  return { ability: 'recognition', model, languages: model.languages };
};
