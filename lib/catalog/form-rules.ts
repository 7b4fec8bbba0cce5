/** Rules for a form's questions that involve more than one field. Rules for single fields are in form-questions.ts. */

export const questionTypes = ['text', 'long_text', 'email', 'number', 'choice', 'multi_choice'] as const;
export type QuestionType = (typeof questionTypes)[number];

/** The fields that belong to some types only. */
const fieldsOf: Readonly<Record<QuestionType, readonly string[]>> = {
  text: ['placeholder', 'minLength', 'maxLength'],
  long_text: ['placeholder', 'minLength', 'maxLength'],
  email: ['placeholder'],
  number: ['placeholder', 'min', 'max', 'integer'],
  choice: ['options', 'allowOther'],
  multi_choice: ['options', 'allowOther', 'minSelections', 'maxSelections'],
};
const fieldsOfSomeTypes = [...new Set(Object.values(fieldsOf).flat())];

interface QuestionRules {
  readonly id?: string;
  readonly type: QuestionType;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly integer?: boolean;
  readonly options?: readonly string[];
  readonly allowOther?: boolean;
  readonly minSelections?: number;
  readonly maxSelections?: number;
}

interface Fault {
  readonly path: readonly (string | number)[];
  readonly rule: string;
}

/** The ID of a question: its own, or one made from its position. */
export function questionIdAt({ id }: { readonly id?: string }, index: number): string {
  return id ?? `q${index + 1}`;
}

interface FormLimits {
  readonly textLengthMax: number;
  readonly optionsMin: number;
}

/** Finds fields of a form that contradict each other, in the order of the form. */
export function findFormFaults(
  { questions }: { readonly questions: readonly QuestionRules[] },
  limits: FormLimits,
): Fault[] {
  const known = new Set<string>();
  return questions.flatMap((question, index) => {
    const id = questionIdAt(question, index);
    const faults = known.has(id)
      ? [{ path: ['id'], rule: 'must differ from the IDs of the other questions' }]
      : [];
    known.add(id);
    return [...faults, ...misplacedFields(question), ...impossibleBounds(question, limits)].map(
      ({ path, rule }) => ({ path: ['questions', index, ...path], rule }),
    );
  });
}

function misplacedFields(question: QuestionRules): Fault[] {
  const given = fieldsOfSomeTypes.filter((field) => question[field as keyof QuestionRules] !== undefined);
  return given
    .filter((field) => !fieldsOf[question.type].includes(field))
    .map((field) => ({ path: [field], rule: `does not apply to type ${question.type}` }));
}

function impossibleBounds(question: QuestionRules, limits: FormLimits): Fault[] {
  const { type, minLength = 0, maxLength, min, max, integer, minSelections = 0, maxSelections } = question;
  const faults: Fault[] = [];
  const add = (field: string, rule: string) => faults.push({ path: [field], rule });
  const isAbove = (one: number | undefined, other: number | undefined) =>
    one !== undefined && other !== undefined && one > other;

  if (type === 'text' && isAbove(maxLength, limits.textLengthMax)) {
    add('maxLength', `must be at most ${limits.textLengthMax}`);
  }
  if (isAbove(minLength, maxLength ?? (type === 'text' ? limits.textLengthMax : undefined))) {
    add('minLength', 'must be at most maxLength');
  }
  if (isAbove(min, max)) add('min', 'must be at most max');
  else if (integer && isAbove(Math.ceil(min ?? -Infinity), Math.floor(max ?? Infinity))) {
    add('max', 'must leave a whole number between min and max');
  }
  if (type === 'choice' || type === 'multi_choice') {
    const { options, allowOther } = question;
    if (!options) add('options', 'is required');
    else {
      if (type === 'choice' && options.length < limits.optionsMin)
        add('options', `must have at least ${limits.optionsMin} items`);
      if (new Set(options.map((option) => option.normalize())).size < options.length) {
        add('options', 'must all be different');
      }
      const selectable = options.length + (allowOther ? 1 : 0);
      if (isAbove(maxSelections, selectable)) add('maxSelections', `must be at most ${selectable}`);
      if (isAbove(minSelections, maxSelections ?? selectable)) {
        add(
          'minSelections',
          maxSelections === undefined ? `must be at most ${selectable}` : 'must be at most maxSelections',
        );
      }
    }
  }
  return faults;
}
