// A document of stcsim.paper/2 with every kind of row: several units, ranges, intervals, what is not published, not
// obtained or not compared, and a figure of 60 layers and products.

const row = (says, changes) => ({says, quantity: 'share of the GEMMs’ time', unit: 'percent', obtained: 'measured', setting: '', note: '', answers: [],
                                 why: '', fitted: '', not_obtained: '', not_compared: '', ...changes});
const exactly = (value) => ({least: value, most: value});
const places = {'as the paper counts': 'ideal with ideal', A100: 'a100 with pytorch_eager', 'A100 with N:M': 'a100_nm with pytorch_eager'};
export const answer = (column, value, changes) => ({column, where: places[column] ?? column, value, low: value, high: value, kind: '', verdict: '', because: '', ...changes});

const savings = (evil) => ({
  name: 'savings', title: 'Section 4.2: what a training step saves', shows: 'How much of the time of training the pruned products save, and how much of a step that is.',
  source: 'McDanel et al., ICPR 2022, section 4.2', columns: ['as the paper counts', 'A100', 'A100 with N:M'],
  rows: [
    row('dgrad’s share of the time of convolutions', {published: exactly(33.17), answers: [
      answer('as the paper counts', 33.1711, {deviation: 0.00003}),
      answer('A100', 31.02, {low: 30.2, high: 32.1, deviation: -0.065, kind: 'against measured', verdict: 'reproduced', because: 'kernels of dgrad have smaller tiles'}),
      answer('A100 with N:M', 31.02, {low: 30.2, high: 32.1, deviation: -0.065, kind: 'against measured', verdict: 'reproduced', because: 'kernels of dgrad have smaller tiles'})]}),
    row('saved of the time of all products', {published: {least: 15, most: 25}, setting: 'batch 256', obtained: 'estimated',
      quantity: 'saved of the GEMMs’ time', answers: [
        answer('as the paper counts', 16.585, {deviation: 0, kind: 'arithmetic', verdict: 'consistent'}),
        answer('A100', 8.5, {low: 6.1, high: 11, deviation: -0.433, kind: 'against estimated', verdict: 'direction only', because: 'pruning the output gradients takes a pass of its own, which costs most of what is saved'})]}),
    row('step, pruning charged', {quantity: 'gain of a step', unit: 'ratio', obtained: 'estimated', published: {least: 1.15, most: 1.25},
      why: 'no hardware skips 4:8', answers: [answer('A100', 0.94, {low: 0.9, high: 0.97, deviation: -0.183, kind: 'against estimated', verdict: 'not reproduced'}),
                                              answer('A100 with N:M', 1.09, {low: 1.02, high: 1.16, deviation: 0, kind: 'against estimated', verdict: 'reproduced'})]}),
    row('all products', {quantity: 'gain of the GEMMs', unit: 'ratio', obtained: 'counted', published: exactly(1.333),
      answers: [answer('as the paper counts', 1.33333, {deviation: 0.00025, kind: 'arithmetic', verdict: 'consistent'}), answer('A100', 1, {deviation: -0.25, kind: 'against estimated', verdict: 'not reproduced'})]}),
    row('forward at inference', {quantity: 'gain of a pass', unit: 'ratio', answers: [answer('A100 with N:M', 1.41, {low: 1.38, high: 1.45})], note: 'the paper says nothing of it'}),
    row('step of ResNet-50 on the authors’ machine, of which only a bar is published', {quantity: 'gain of a step', unit: 'ratio',
      not_obtained: 'not obtained: a bar without a number', answers: [answer('A100', 1.02)]}),
    row(evil, {quantity: '', unit: '', not_compared: 'it is about accuracy after pruning activations, which nothing here trains'}),
  ],
  not_obtained: ['not obtained: times of single layers, bars without numbers', 'not obtained: memory, a curve'],
});

const products = ['forward', 'dgrad', 'wgrad'];
const layers = ['conv1', ...[1, 2, 3, 4].flatMap((group) => [0, 1].flatMap((block) => [1, 2].map((conv) => `layer${group}.${block}.conv${conv}`))),
                'layer2.0.downsample', 'layer3.0.downsample', 'fc'];
const ofLayers = {
  name: 'figure_9', title: 'Fig. 9: time of each product of each layer', shows: 'The time that forward, dgrad and wgrad of each layer of ResNet-18 take.',
  source: '', columns: ['A100', 'A100 with N:M'],
  rows: layers.flatMap((layer, i) => products.map((product, j) => {
    const value = 0.2 + 0.37 * ((7 * i + 3 * j) % 5);
    return row(`${layer} ${product}`, {quantity: 'time', unit: 'ms', ...(i === 1 ? {published: {least: value, most: value * 1.2}} : {}), answers: [
      answer('A100', value, i === 1 ? {deviation: 0, kind: 'against measured', verdict: 'reproduced'} : {low: value * 0.9, high: value * 1.1}), answer('A100 with N:M', value * (j === 1 ? 0.6 : 1))]});
  })),
  not_obtained: [],
};

const masks = {
  name: 'table_2', title: 'Table 2: how many masks there are, and what accuracy is left', shows: 'Masks of a block, and accuracy after training.', source: '',
  columns: ['computed', 'our training'],
  rows: [
    ...[['1:2', 2], ['2:4', 90], ['4:8', 116963796250]].map(([pattern, count]) => row(`transposable masks, ${pattern}`, {quantity: 'masks of a block', unit: 'count', obtained: 'counted',
      published: exactly(count), answers: [answer('computed', count, {deviation: 0, kind: 'arithmetic', verdict: 'consistent'})]})),
    ...[['dense', 95.2], ['SDGP 2:4', 94.61], ['SDGP 4:8', 95.03]].map(([scheme, value]) => row(scheme, {quantity: 'accuracy', setting: 'ResNet-18 on CIFAR-10', obtained: 'accuracy',
      published: exactly(value), answers: [answer('our training', value - 2.04, {low: value - 2.4, high: value - 1.7, deviation: -0.0214})]})),
    row('SDGP 2:4 less dense', {quantity: 'difference of accuracies', unit: 'points', obtained: 'accuracy', published: exactly(-0.59),
      answers: [answer('our training', -0.7, {low: -1.2, high: 0.1, deviation: 0.19, kind: 'own training', verdict: 'same direction', p_value: 0.031})]}),
    row('SDGP 4:8 less dense', {quantity: 'difference of accuracies', unit: 'points', obtained: 'accuracy', published: exactly(-0.17),
      answers: [answer('our training', 0.21, {low: -0.3, high: 0.7, deviation: -2.24, kind: 'own training', verdict: 'no direction', p_value: 0.41})]}),
  ],
  not_obtained: [],
};

/** @param evil the text of a row */
export const samplePaper = (evil) => ({
  schema: 'stcsim.paper/2', version: '0', config_hash: '0', paper: 'sdgp', title: 'Structured data gradient pruning',
  source: 'McDanel et al., "Accelerating DNN Training with Structured Data Gradient Pruning", ICPR 2022',
  about: 'Pruning the gradients of the outputs to N:M saves a part of the time of training without hurting accuracy.',
  sentence: '9 of 15 published figures are reproduced; what is saved of a step is not, since no hardware skips 4:8.',
  spread: 'With other software, 1.10x: best of all kernels 1.12x.',
  tally: [
    {kind: 'against measured', column: 'A100', verdict: 'reproduced', count: 4}, {kind: 'against estimated', column: 'A100', verdict: 'direction only', count: 1},
    {kind: 'against estimated', column: 'A100', verdict: 'not reproduced', count: 2}, {kind: 'arithmetic', column: 'computed', verdict: 'consistent', count: 3},
  ],
  figures: [savings(evil), ofLayers, masks],
});
