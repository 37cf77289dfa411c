/* The parser's state, names and scopes. A text may consist of several modules ("pieces"), each from its .version on,
 * which are linked (parse_module.c). This is a recursive-descent parser over lexer.h. Every function reports bad text
 * by ptx_error, which does not return, so none returns a failure. `p->tok` is the next token. */
#ifndef REPRISE_FRONTEND_ISA_PTX_PARSER_H
#define REPRISE_FRONTEND_ISA_PTX_PARSER_H

#include "frontend/isa/ptx/ast.h"
#include "frontend/isa/ptx/lexer.h"

enum { MAX_DEPTH = 64, MAX_DIMENSIONS = 8 };

/* PTX ISA "Linking Directives". EXTERN is a declaration without a definition. */
enum ptx_linking { LINK_LOCAL, LINK_VISIBLE, LINK_EXTERN, LINK_WEAK, LINK_COMMON };

struct name;
enum symbol_kind { SYM_REGISTER, SYM_RANGE, SYM_VARIABLE, SYM_FUNCTION, SYM_LABEL };
struct symbol {
    enum symbol_kind kind;
    struct name *name;
    uint32_t depth, at; /* the scope's depth, and the position of the declaration */
    struct symbol *shadowed, *next_in_scope;
    bool from_range;      /* a register of a range, made on first use */
    bool is_local;        /* at the top of a module, and known in this piece only */
    uint8_t type;         /* REGISTER, RANGE: enum ptx_type */
    uint32_t reg, vector; /* REGISTER: first id; REGISTER, RANGE: how many each has (a vector's members) */
    uint64_t count;       /* RANGE: %name<count> */
    union {
        struct ptx_variable *variable;
        struct ptx_function *function;
        struct ptx_label *label;
    };
};

/* A use of a label that may be defined later: resolved when the scope that defines it closes. */
struct pending {
    struct name *name;
    struct ptx_label **slot;
    uint32_t at;
    struct pending *next;
};

struct scope {
    struct symbol *symbols;
    struct pending *pending;
};

/* The bytes of a section, and where values of labels are to be added. */
struct debug_patch {
    const char *name;
    uint32_t offset;
    uint8_t width;
};
struct debug_section {
    VECTOR(uint8_t) bytes;
    VECTOR(struct debug_patch) patches;
};
struct debug_label {
    const char *name;
    uint64_t value; /* offset in its section, or address of code */
};
/* Debug data of a piece. An address of code consists of the number of the function in `functions`, from 1, in the upper
 * 32 bits, and the number of the instruction in the lower ones. */
struct debug_data {
    struct debug_section strings, info, abbrev;
    VECTOR(struct debug_label) labels;
    VECTOR(struct ptx_function *) functions; /* that have a body here */
    bool locs_have_calls;                    /* some .loc says which calls were inlined */
    uint32_t named; /* unit->inlined: the number of calls of earlier pieces, which have their names */
};

struct parser {
    struct ptx_source *src;
    struct arena *arena;
    struct ptx_unit *unit;
    struct lexer lexer;
    struct token tok;
    struct name **names; /* hash table */
    uint32_t name_slots, name_count;
    struct scope scopes[MAX_DEPTH];
    uint32_t depth; /* 0: module; 1: a function's parameters and body; more: blocks in it */
    struct ptx_function *function;
    enum ptx_linking linking;      /* linking of the current declaration at the top of the module */
    uint32_t version;              /* of this piece: major × 10 + minor */
    uint32_t sm;                   /* of this piece: the highest of its .target; 0: unknown */
    bool samplers;                 /* of this piece: .target has texmode_independent */
    bool has_address_size;         /* of the module */
    bool has_own_size;             /* of this piece */
    struct ptx_variable *reserved; /* shared memory that is reserved for the system; NULL: no operand has named it */
    uint32_t file_base;            /* is added to the numbers of files in this piece */
    uint32_t loc_file, loc_line, loc_inlined;
    bool loc_keeps_line;
    struct loc_slot *loc_slots; /* locations.c */
    uint32_t loc_slot_count, loc_used;
    struct debug_data debug;
    uint32_t made;        /* names made up so far */
    uint32_t declaration; /* where the variables of the current declaration begin */
    uint32_t last_label;  /* the instruction after the function's last label */
    /* results of the current function that are in registers: stored before each ret */
    uint32_t results_in_registers;
    struct ptx_variable **result_variables;
    struct ptx_operand *result_registers;
};

/* ---- words (parse_module.c) */
void next_token(struct parser *);
bool at_punct(const struct parser *, uint16_t punct);
bool take_punct(struct parser *, uint16_t punct);
void expect_punct(struct parser *, uint16_t punct, const char *where);
bool at_dot(const struct parser *, const char *word);
bool take_dot(struct parser *, const char *word);
struct token expect_name(struct parser *, const char *what);
uint64_t expect_count(struct parser *, uint64_t limit, const char *what);
void skip_until(struct parser *, uint16_t punct);
/* Skips what follows .pragma: strings, which mean nothing here, and the semicolon. */
void parse_pragma(struct parser *);
/* Skips from '(' to the matching ')': ".attribute(.unified(1, 2))", which needs sm_90. */
void skip_attribute(struct parser *);

/* ---- names and scopes (names.c) */
void scope_open(struct parser *);
/* To be called at the end of a piece: forgets the names that only this piece knows. */
void forget_local_names(struct parser *);
void scope_close(struct parser *);
/* Finds a name; NULL: it is not declared. Makes the register of a %name<count> range on first use. */
struct symbol *lookup(struct parser *, const struct token *);
/* Declares a symbol in the innermost scope. It is an error if the scope has the name already. */
struct symbol *declare(struct parser *, const struct token *, enum symbol_kind);
/* A name that the innermost scope itself declares; NULL: it does not. */
struct symbol *declared_here(struct parser *, const struct token *);
struct declarator;
struct symbol *declare_range(struct parser *, const struct token *, const struct declarator *, uint64_t count);
struct symbol *declare_register(struct parser *, const struct token *, const struct declarator *);
uint32_t new_register(struct parser *, const char *name, uint8_t type);
void use_label(struct parser *, const struct token *, struct ptx_label **slot);
void unknown_name(struct parser *, const struct token *) __attribute__((noreturn));
/* parse_range parses "N>" after "name<", which stands for name0 to name(N-1), and returns N, at least 1. `what` they
 * are. numbered_name: one of the names. */
uint32_t parse_range(struct parser *, const char *what);
struct token numbered_name(struct parser *, const struct token *prefix, uint32_t number);

/* ---- constants (expression.c) */
struct constant {
    enum { CONST_SIGNED, CONST_UNSIGNED, CONST_FLOAT, CONST_SINGLE, CONST_DOUBLE } kind;
    uint64_t bits; /* FLOAT, DOUBLE: a double's; SINGLE: a float's */
};
struct constant parse_constant(struct parser *);
int64_t parse_integer(struct parser *);
/* The same without operators that bind less than * / %, as after a minus in an address. */
int64_t parse_factor(struct parser *);
/* The constant as an initial value of `type`, as ptxas stores it: floats are converted for .f32, .f64 and .b32; in
 * other bits are the lower ones of the double, or of what 0f says. */
uint64_t constant_bits(struct parser *, struct constant, enum ptx_type type, uint32_t at);

/* ---- declarations (parse_variable.c) */
struct declarator {
    uint8_t space, type, vector; /* space RP_SPACE_NONE: .reg */
    bool is_reg, is_extern;
    uint32_t align;
};
bool space_directive(const struct token *, uint8_t *space);
/* Parses what follows the word of the space: alignment, type, attributes. */
struct declarator parse_declarator(struct parser *, uint8_t space, bool is_reg);
/* Parses name and dimensions. Declares the variable unless its name is "_". */
struct ptx_variable *parse_variable(struct parser *, const struct declarator *);
/* Parses a declaration statement, with initialisers and its semicolon. */
void parse_variables(struct parser *, uint8_t space, bool is_extern);
void parse_registers(struct parser *);

/* ---- functions and statements (parse_function.c, parse_statement.c, parse_operand.c, parse_call.c) */
void parse_function(struct parser *, bool is_entry);
struct ptx_signature *parse_prototype(struct parser *);
void parse_statements(struct parser *);
void parse_instruction(struct parser *);
void parse_loc(struct parser *);
void parse_file(struct parser *);

/* 32 or 64 bits, from a module's code. */
uint32_t ptx_infer_address_bits(const struct ptx_unit *);

/* ---- debug data (debug_info.c) */
void parse_section(struct parser *);
void label_code(struct parser *, const char *name, uint32_t instruction);
uint64_t code_address(const struct parser *, uint32_t instruction);
/* Finds the inlined calls of a piece's instructions. To be called when all its sections have been read. */
void join_debug_info(struct parser *);

struct ptx_operand parse_operand(struct parser *, bool labels);
/* Parses a label that stands before: of one of `kinds`, a bit per enum ptx_label_kind; `what` they are. */
struct ptx_operand parse_declared_label(struct parser *, uint32_t kinds, const char *what);
/* + n, - n after a base */
int64_t parse_offsets(struct parser *);
/* parse_element.c. Parses what follows a variable and '[': the index and ']'. */
void parse_index(struct parser *, struct ptx_operand *variable);
/* Turns elements of arrays among the operands into addresses. This may add instructions before this one. */
void place_elements(struct parser *, const struct ptx_instruction *);
/* The register, or the vector of registers, that a symbol stands for. */
struct ptx_operand symbol_registers(struct parser *, const struct symbol *, const struct token *);
void parse_call(struct parser *, struct ptx_instruction *);
/* A parameter of a function or call that is in register `reg` stands for .param memory that is loaded and stored around
 * it. Appends "ld.param reg, [variable]" or "st.param [variable], value". */
void emit_param_load(struct parser *, struct ptx_variable *, struct ptx_operand reg,
                     const struct ptx_instruction *like);
void emit_param_store(struct parser *, struct ptx_variable *, struct ptx_operand value,
                      const struct ptx_instruction *like);
/* Appends "ld.param %copy, [from]; st.param [to], %copy" for each piece of the two, which have one size and alignment.
 */
void emit_param_copy(struct parser *, struct ptx_variable *to, struct ptx_variable *from,
                     const struct ptx_instruction *like);
/* A .param variable of `count` elements; of predicates, of words. */
struct ptx_variable *new_param(struct parser *, enum ptx_type, uint32_t count);
/* Makes sums of registers and numbers among the operands registers. This adds instructions before this one. */
void place_sums(struct parser *, const struct ptx_instruction *);
/* An instruction that the text does not have: added_instruction has the place of `like` in the source, without its
 * guard; add_instruction finds the form of opcode, modifiers and types, and appends it to the function's body. */
struct ptx_instruction added_instruction(const struct ptx_instruction *like);
void add_modifier_to(struct ptx_instruction *, enum ptx_modifier);
void add_type_to(struct ptx_instruction *, enum ptx_type);
void add_instruction(struct parser *, struct ptx_instruction *, const char *opcode, uint32_t count,
                     const struct ptx_operand operands[]);
/* emit_results: the stores of results that are in registers. emit_return: the ret at the end of a body without one. */
void emit_results(struct parser *, const struct ptx_instruction *like);
void emit_return(struct parser *, const struct ptx_instruction *like);

#endif
