def FeatureAIC : SubtargetFeature<"aic", "HasAIC", "true", "Cube core: MTE1, MTE2, MTE3, FIX, M">;
def FeatureAIV : SubtargetFeature<"aiv", "HasAIV", "true", "Vector core: MTE2, MTE3, V">;
def HasAIC : Predicate<"Subtarget->hasAIC()">, AssemblerPredicate<(all_of FeatureAIC), "a cube core (aic)">;
def HasAIV : Predicate<"Subtarget->hasAIV()">, AssemblerPredicate<(all_of FeatureAIV), "a vector core (aiv)">;
