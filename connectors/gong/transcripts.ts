import {
  type HttpRequest,
  type LineSelection,
  lineFilter,
  lineSelectionIn,
  post,
  type Steps,
} from '../../src/authoring.js';
import { fetchCallMetadataIfAllowed, requireCallMetadata, requireParties, withoutHidden } from './call-metadata.js';
import { emptyIfNotFound, listIn } from './operations.js';

/** A page of transcripts, excluding those of private calls, and the selected sentences. */
export function* publicTranscripts(params: LineSelection, includePrivate: boolean | undefined): Steps {
  const { sent, selection } = lineSelectionIn(params);
  const body = yield* emptyIfNotFound(post('/v2/calls/transcript', sent), 'callTranscripts');
  const transcripts = listIn(body, 'callTranscripts');
  const needsCalls = !includePrivate || selection !== undefined;
  if (!needsCalls || !Array.isArray(transcripts) || transcripts.length === 0) return body;
  const known = yield* callsOf(transcripts, includePrivate, selection);
  // A transcript does not show whether its call is private.
  const { kept, ...leftOut } = includePrivate ? { kept: transcripts } : withoutHidden(transcripts, known, callIdOf);
  const shown = { ...body, callTranscripts: kept, ...(!includePrivate && { leftOut }) };
  return selection === undefined ? shown : { ...shown, ...selectedIn(kept, known, selection) };
}

const callIdOf = (transcript: any) => String(transcript?.callId);

function callsOf(
  transcripts: readonly unknown[],
  includePrivate: boolean | undefined,
  selection: LineSelection | undefined,
): Generator<HttpRequest, Map<string, any>, any> {
  const callIds = transcripts.map(callIdOf);
  const parties = selection !== undefined;
  if (!includePrivate) return requireCallMetadata(callIds, parties);
  const needsNames = [selection?.speaker ?? []].flat().some((speaker) => !isSpeakerId(speaker));
  return needsNames ? requireParties(callIds) : fetchCallMetadataIfAllowed(callIds, parties);
}

const isSpeakerId = (speaker: string): boolean => /^\d+$/.test(speaker);

/** The selected sentences of transcripts, with the speakers' names, and notes about the others. */
function selectedIn(transcripts: readonly any[], known: Map<string, any>, selection: LineSelection) {
  // Gong counts from the start of the call.
  const isSelected = lineFilter(selection, 0);
  let [all, selected, unnamed] = [0, 0, 0];
  const callTranscripts = transcripts.map(({ transcript, ...rest }) => {
    if (!Array.isArray(transcript)) return { ...rest, transcript };
    const parties: readonly any[] = known.get(callIdOf(rest))?.parties ?? [];
    const turns = transcript.flatMap((turn) => {
      const speaker = parties.find(({ speakerId }) => speakerId != null && speakerId === turn?.speakerId);
      const speakerIds = [turn?.speakerId, speaker?.emailAddress];
      const sentences: readonly any[] = turn?.sentences ?? [];
      const runs = runsOf(sentences, ({ text, start, end }) =>
        isSelected({ text, speakerIds, speakerName: speaker?.name, startMs: start, endMs: end }),
      );
      all += sentences.length;
      if (!speaker?.name) unnamed += sentences.length;
      selected += runs.flat().length;
      return runs.map((run) => ({ ...turn, speakerName: speaker?.name ?? null, sentences: run }));
    });
    return { ...rest, transcript: turns };
  });
  const selectedNotes = [
    `Sentences returned: ${selected} of ${all}.`,
    unnamed > 0 &&
      `Sentences whose speaker's name is unknown: ${unnamed}. Pass their speakerId as speaker to select them.`,
  ];
  return { callTranscripts, selectedNotes };
}

/** The items that pass, grouped by adjacency, so that each group starts at its own time. */
function runsOf<Item>(items: readonly Item[], passes: (item: Item) => boolean): Item[][] {
  const runs: Item[][] = [];
  let isOpen = false;
  for (const item of items) {
    const isPassing = passes(item);
    if (isPassing && isOpen) runs.at(-1)!.push(item);
    else if (isPassing) runs.push([item]);
    isOpen = isPassing;
  }
  return runs;
}
